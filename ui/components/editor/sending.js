// An edit is shown at once and told to the server, which may refuse it.
import { applied } from './model.js';

/** `document` and `base` say what the annotator had on screen. */
export function send(s, action, body = {}) {
  const { document, layer, version } = s.data;
  s.notice = '';
  clearTimeout(s.asking); // the answer to this brings what is suggested as well; asking beside it would hold it up
  if (action === 'edit') s.view = applied(s.view, body.edit);
  s.outbox.tell(action, { ...body, document, layer, base: version });
  s.draw();
}

/** Say why something is not done. */
export function refuse(s, why) {
  s.notice = `Not done: ${why}`;
  s.draw();
}

export const edit = (s, one) => send(s, 'edit', { edit: one });

/** Several edits that are one action. */
export function together(s, edits) {
  if (edits.length === 1) edit(s, edits[0]);
  else if (edits.length) edit(s, { kind: 'Together', edits });
}

/** A name for what the next edit adds. */
export const freshId = s => s.outbox.nextId;

/** The edits on their way that were made on what is on screen. */
export function underWay(s, data) {
  const here = message => message.document === data.document && message.layer === data.layer;
  return s.outbox.queue.filter(message => message.action === 'edit' && here(message)).map(message => message.edit);
}
