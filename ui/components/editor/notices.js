// What the editor says around the text: a clash with somebody else, the keys, and whether everything is saved.
import { el, visibleEl } from '../shared/dom.js';
import { answer } from './actions.js';
import { button, heading, rowOf } from './widgets.js';

const KEYS = [
  ['← →', 'move by one unit; with Shift extend'],
  ['↑ ↓', 'previous, next paragraph'],
  ['Tab, Shift+Tab', 'next, previous mention or suggestion'],
  ['Enter', 'make the marked text a mention; accept a suggestion; confirm a target'],
  ['1 … 9, f 1 … f z', 'give the type that has this key (makes the mention)'],
  ['0', 'search the types, or write the name of a new one'],
  ['. ,', 'end of the mention one unit to the right, to the left'],
  ['> <', 'start of the mention one unit to the right, to the left'],
  ['b', 'move the mention selected last to the marked text'],
  ['+', 'the marked text is one more piece of the mention selected last (a mention with gaps)'],
  ['Delete', 'delete the mention, or reject the suggestion'],
  ['e', 'link to an entity: search, arrows, Enter'],
  ['n', 'link to NIL'],
  ['u', 'take the link off'],
  ['c', 'same chain as …: choose the other mention with Tab, then Enter'],
  ['g', 'merge the whole chain into …'],
  ['x', 'take out of its chain'],
  ['s', 'split the chain: this mention and those after it'],
  ['r', 'relation to …: choose the other mention with Tab, then Enter, then the type'],
  ['k', 'relations of the mention: arrows, then Enter for another type, f to turn round, t to comment, Delete'],
  ['l', 'labels of the document: arrows, Enter; 0 for a new one'],
  ['t', 'comment on the mention, or on the document where none is selected'],
  ['h', 'the guideline, beside the types'],
  ['a', 'mark everything like this mention, in all documents'],
  ['w', 'gold is wrong here'],
  ['A', 'accept every suggestion of the document'],
  ['D', 'reject every suggestion of the document'],
  ['d', 'the document is done, or not yet'],
  ['q', 'the document is done; open the next of the queue'],
  ['[ ]', 'previous, next document'],
  [
    'm',
    'whole words or single characters (with the mouse also: hold Alt); Chinese, Thai and the like also by dictionary',
  ],
  ['Ctrl+Z, Ctrl+Y', 'undo, redo: without end, across documents'],
  ['Esc', 'leave; the place in the text is kept'],
  ['?', 'these keys'],
];

function side(name, text) {
  const node = el('div');
  node.append(el('b', '', name + ': '), visibleEl('span', '', text || 'no change'));
  return node;
}

/** Somebody else was first: both sides in words, and the choice. Else what the server has to say. */
export function drawAlert(s) {
  const { clash, message } = s.data;
  s.clash = clash && clash.token !== s.answered ? clash : null;
  const said = s.notice || (clash ? '' : message);
  s.alert.className = s.clash || said ? 'message' : '';
  s.alert.replaceChildren();
  if (said) s.alert.append(visibleEl('span', '', said));
  if (!s.clash) return;
  s.alert.append(
    visibleEl('span', '', `${clash.who} changed the same annotation meanwhile. Nothing of yours was written.`),
    side('There now', clash.theirs),
    side('Yours', clash.mine),
    rowOf(
      button(s, 'Esc', 'Keep what is there', () => answer(s, false)),
      button(s, 'Enter', 'Write mine over it', () => answer(s, true)),
    ),
  );
}

export function drawSheet(s) {
  s.desk.querySelector('.sheet')?.remove();
  if (!s.sheet) return;
  const list = el('div', 'keys');
  for (const [keys, what] of KEYS) {
    const row = el('div', 'key');
    row.append(el('kbd', '', keys), el('span', '', what));
    list.append(row);
  }
  const sheet = el('div', 'sheet');
  sheet.append(heading('Keys'), list);
  s.desk.append(sheet);
}

export function drawSaved(s) {
  const n = s.outbox.queue.length;
  if (!n) s.saved.textContent = s.data.saved + (s.view.done ? ' · done' : '');
  else if (!s.outbox.tries) s.saved.textContent = `saving ${n} …`;
  else s.saved.textContent = `${n} ${n === 1 ? 'edit waits' : 'edits wait'} for the server; kept in this browser`;
}
