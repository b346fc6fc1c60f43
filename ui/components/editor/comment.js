// Comments: a thread about a mention, a relation or the document, each with its author and time, settled or not.
import { el, visible, visibleEl } from '../shared/dom.js';
import { openPanel } from './actions.js';
import { isAsked, threadOn, words } from './model.js';
import { edit, freshId } from './sending.js';
import { button, field, heading, quote, rowOf } from './widgets.js';

export const openComment = (s, target) => openPanel(s, { kind: 'comment', target });

function say(s, target, text) {
  s.panel = null;
  const said = { id: freshId(s), author: s.data.user, time: new Date().toISOString() };
  edit(s, { kind: 'Comment', target, text, ...said });
}

function remark(s, target, one) {
  const node = el('div', 'remark');
  const signed = [one.author, one.time.slice(0, 16).replace('T', ' ')].filter(Boolean).join(', ');
  node.append(visibleEl('span', '', one.text), el('span', 'note', visible(signed)));
  if (one.author === s.data.user || !one.author) {
    node.append(button(s, '', 'take back', () => edit(s, { kind: 'Comment', target, text: '', id: one.id })));
  }
  return node;
}

/** The thread about a target, with the button that settles it; nothing where nobody wrote. */
export function threadPart(s, target) {
  const thread = threadOn(s, target);
  if (!thread.length) return [];
  const asked = isAsked(s, target);
  const settle = () => edit(s, { kind: 'Resolve', target, resolved: asked });
  return [
    heading(asked ? 'Comments' : 'Comments, resolved'),
    ...thread.map(one => remark(s, target, one)),
    rowOf(button(s, '', asked ? 'Resolved' : 'Open again', settle)),
  ];
}

/** What is commented on, in words. */
function about(s, target) {
  const m = s.view.mentions.get(target);
  if (m) return quote(s, m.start, m.end);
  const r = s.view.relations.get(target);
  const ends = r ? [r.head, r.tail].map(id => s.view.mentions.get(id)) : [];
  const [from, to] = ends.map(one => (one ? words(s, one.start, one.end) : '?'));
  return visibleEl('div', 'quote', r ? `${from} ${r.type} ${to}` : 'the document');
}

/** While a comment is written. It stays open whatever happens to the document meanwhile. */
export function commentPanel(s) {
  const { target } = s.panel;
  return [
    heading('Comment on'),
    about(s, target),
    field(s, 'comment', '', text => say(s, target, text)),
    ...threadPart(s, target),
  ];
}
