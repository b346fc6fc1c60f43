// A comment: a field while it is written, else its text.
import { visibleEl } from '../shared/dom.js';
import { commentOn } from './model.js';
import { edit } from './sending.js';
import { field } from './widgets.js';

/** The comment on a mention or the document; while a relation's comment is written, that. */
export function commentPart(s, target) {
  const wanted = s.panel?.kind === 'comment' ? s.panel.target : null;
  if (wanted === target || (wanted && s.view.relations.has(wanted))) {
    const take = text => {
      s.panel = null;
      edit(s, { kind: 'Comment', target: wanted, text });
    };
    return [field(s, 'comment', commentOn(s, wanted), take, { mayBeEmpty: true })];
  }
  const comment = commentOn(s, target);
  return comment ? [visibleEl('div', 'quote', comment)] : [];
}
