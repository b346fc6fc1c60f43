// The panel while nothing is selected: the marked text, and what concerns the whole document.
import {
  acceptAll,
  addMention,
  addPiece,
  markDone,
  next,
  openPanel,
  rebound,
  rejectAll,
  select,
  toggleLabel,
} from './actions.js';
import { saidBy, suggested } from './chips.js';
import { openComment, threadPart } from './comment.js';
import { range, words } from './model.js';
import { guidelinePart } from './guideline.js';
import { typesPart } from './types.js';
import { button, heading, hint, item, listOf, quote, rowOf, toggle } from './widgets.js';

const LISTED = 60; // suggestions

/** What the marked text may be to the mention that was selected last. */
function lastPart(s) {
  const m = s.view.mentions.get(s.lastMention);
  if (!m) return [];
  return [
    hint('Or, for the mention selected last:'),
    quote(s, m.start, m.end),
    rowOf(
      button(s, 'b', 'Move it here', () => rebound(s)),
      button(s, '+', 'Add this as a piece', () => addPiece(s)),
    ),
  ];
}

function markedPart(s) {
  const r = range(s);
  if (!r) {
    const how = 'Mark text with the mouse or with Shift and arrows, then Enter. Click a mention to change it.';
    return [heading('Nothing selected'), hint(`${how} ? shows all keys.`), ...guidelinePart(s)];
  }
  return [
    heading('Marked text'),
    quote(s, ...r),
    rowOf(button(s, 'Enter', 'Make it a mention', () => addMention(s))),
    ...typesPart(s, null),
    ...lastPart(s),
  ];
}

function donePart(s) {
  return rowOf(
    button(s, 'd', s.view.done ? 'Not done yet' : 'Done', () => markDone(s, !s.view.done)),
    button(s, 'q', 'Done, next of the queue', () => next(s)),
    button(s, 't', 'Comment on the document', () => openComment(s, '')),
  );
}

function labelsPart(s) {
  if (!s.data.labelChoices.length) return [];
  const boxes = s.data.labelChoices.map(label => {
    const on = s.view.labels.includes(label);
    return toggle(s, '', (on ? '✓ ' : '') + label, on, () => toggleLabel(s, label));
  });
  const byKeys = button(s, 'l', 'choose by keys', () => openPanel(s, { kind: 'labels', at: 0 }));
  return [heading('Labels of the document'), rowOf(...boxes, byKeys)];
}

function counted(s) {
  const n = s.data.suggestions.length;
  if (s.data.held) return `${n + s.data.held} suggestions, ${n} here so far`;
  return `${n} ${n === 1 ? 'suggestion' : 'suggestions'}`;
}

function suggestionsPart(s) {
  const offers = s.data.suggestions;
  if (!offers.length) return [];
  const text = x => `${x.kind === 'label' ? 'label' : words(s, x.start, x.end)}: ${suggested(s, x)}`;
  return [
    heading(counted(s)),
    listOf(offers.slice(0, LISTED).map(x => item(s, false, text(x), saidBy(x), () => select(s, x.key)))),
    rowOf(
      button(s, 'A', 'Accept all', () => acceptAll(s)),
      button(s, 'D', 'Reject all', () => rejectAll(s)),
    ),
  ];
}

export function documentPanel(s) {
  return [...markedPart(s), donePart(s), ...threadPart(s, ''), ...labelsPart(s), ...suggestionsPart(s)];
}
