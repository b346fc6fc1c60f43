// The beam: columns are decisions in the order in which they were made, cells are sequences, best first.
// As many columns as fit the width are drawn; the overview above shows all of them, and leads to any.
// Filled: the sequence that was chosen. ✓ and outline: the right one. Grey below the line: pruned.
import { appendVisible, el, svg, visible } from '../shared/dom.js';
import { outboxOf } from '../shared/messages.js';
import { count, counted, percent, three } from '../shared/numbers.js';
import { overview, settle } from '../shared/overview.js';
import { saveButtons } from '../shared/saving.js';
import { drawn } from '../shared/drawn.js';
import { stateOf } from '../shared/state.js';
import { stepFrom } from '../shared/stepping.js';

const WIDTH = 152;
const GAP = 32;
const CELL = 43;
const HEAD = 46;
const CUT = 20;

const keptOf = column => column.cells.filter(cell => cell.kept).length;
const cellTop = (column, index) => HEAD + index * CELL + (index >= keptOf(column) ? CUT : 0);
const leftOf = t => t * (WIDTH + GAP);

/** A line from the cell to the one that it extends, in the column before. */
function lineOf(columns, t, k) {
  const cell = columns[t].cells[k];
  const [x0, x1] = [leftOf(t) - GAP, leftOf(t)];
  const y0 = cellTop(columns[t - 1], cell.parent) + CELL / 2 - 3;
  const y1 = cellTop(columns[t], k) + CELL / 2 - 3;
  const d = `M${x0},${y0} C${x0 + GAP / 2},${y0} ${x1 - GAP / 2},${y1} ${x1},${y1}`;
  return svg('path', { d, class: cell.chosen ? 'chosen' : cell.gold ? 'gold' : cell.kept ? 'kept' : 'pruned' });
}

function lines(columns, height, [from, to]) {
  const drawing = svg('svg', { width: leftOf(columns.length), height, class: 'lines overlay', 'aria-hidden': 'true' });
  drawing.style.left = -leftOf(from) + 'px';
  columns.slice(0, to).forEach((column, t) => {
    if (t <= from) return;
    column.cells.forEach((cell, k) => {
      if (cell.parent >= 0 && cell.parent < columns[t - 1].cells.length) drawing.append(lineOf(columns, t, k));
    });
  });
  return drawing;
}

/** What is told about a cell in words. */
function wordsOf(cell) {
  const words = [
    cell.entity,
    cell.kept ? percent(cell.probability) + ' % of the beam' : 'pruned',
    'score ' + three(cell.score),
    'this step adds ' + three(cell.added),
  ];
  if (cell.ahead) words.push('the other direction adds ' + three(cell.ahead) + ' when sequences are ranked');
  if (cell.gold) words.push('on the right sequence');
  if (cell.chosen) words.push('on the chosen sequence');
  return words;
}

function cellButton(s, cell, top) {
  const state = [cell.kept ? 'kept' : 'pruned', cell.chosen ? 'chosen' : '', cell.gold ? 'gold' : ''].join(' ');
  const button = el('button', 'cell ' + state);
  button.style.top = top + 'px';
  button.dataset.key = cell.key;
  const name = el('span', 'entity one-line');
  if (cell.gold) name.append(el('span', 'sign', '✓ '));
  appendVisible(name, cell.entity);
  const facts = el('span', 'facts');
  const share = cell.kept ? percent(cell.probability) + ' %' : 'pruned';
  facts.append(el('span', '', share), el('span', 'score', three(cell.score)));
  button.append(name, facts);
  if (cell.kept) {
    const bar = el('span', 'share');
    bar.style.width = 100 * cell.probability + '%';
    button.append(bar);
  }
  const words = wordsOf(cell);
  button.title = visible(words.join('\n'));
  button.setAttribute('aria-label', visible(words.join(', ')));
  button.onclick = () => choose(s, cell.key);
  return button;
}

/** Where the right one stands in a column. */
function noteOf(column) {
  if (!column.judged) return counted(column.n_expansions, 'sequence');
  if (column.missing) return '∅ the right one is no candidate';
  if (column.pinned_away) return 'your pin forbids the right one';
  if (column.fell) return '✗ the right one was pruned here';
  if (column.gold_rank === null) return 'right one already lost';
  return `right one is ${column.gold_rank} of ${count(column.n_expansions)}`;
}

function headOf(s, column, t) {
  const head = el('button', 'head');
  const surface = el('span', 'surface one-line');
  surface.append(el('span', 'number', String(t + 1)));
  appendVisible(surface, column.surface);
  head.append(surface, el('span', 'note one-line', noteOf(column)));
  head.title = visible(column.surface);
  head.onclick = () => choose(s, column.key);
  return head;
}

function columnOf(s, column, t, from) {
  const box = el('div', 'column' + (column.fell ? ' fell' : ''));
  box.style.left = leftOf(t - from) + 'px';
  box.dataset.key = column.key;
  box.setAttribute('role', 'group');
  box.append(headOf(s, column, t), ...column.cells.map((cell, k) => cellButton(s, cell, cellTop(column, k))));
  const kept = keptOf(column);
  if (kept < column.cells.length) {
    const cut = el('div', 'cut', 'pruned');
    cut.style.top = HEAD + kept * CELL + 'px';
    box.append(cut);
  }
  return box;
}

/** How many columns fit. */
const roomOf = s => Math.max(1, Math.floor((s.root.clientWidth + GAP) / (WIDTH + GAP)));

/** What the line of all decisions says of one: where the right sequence was lost, or whether the choice is right. */
function judge(column) {
  if (!column.judged) return 'unjudged';
  if (column.fell) return 'lost';
  return column.cells.some(cell => cell.chosen && cell.gold) ? 'right' : 'wrong';
}

function draw(s, data) {
  s.from = 0;
  s.board = el('div', 'board');
  const items = data.columns.map(column => ({ key: column.key, surface: column.surface, state: judge(column) }));
  s.overview = overview(items, key => choose(s, key));
  s.overview.root.append(saveButtons(() => drawn(s.board), 'beam'));
  const caption = data.caption ? [el('div', 'caption', data.caption)] : [];
  s.root.replaceChildren(...caption, s.overview.root, s.board);
  s.watcher ??= new ResizeObserver(() => requestAnimationFrame(() => show(s)));
  s.watcher.observe(s.root);
}

/** Draw the columns of the window; it moves only where the selected one is not in it. */
function show(s) {
  const { columns } = s.data;
  const room = Math.min(roomOf(s), columns.length);
  const at = columns.findIndex(column => column.key === columnKey(s.selected));
  let from = Math.min(s.from, Math.max(0, columns.length - room));
  if (at >= 0 && (at < from || at >= from + room)) from = settle(at, room, columns.length);
  if (from === s.from && room === s.room) return;
  [s.from, s.room] = [from, room];
  const shown = columns.slice(from, from + room);
  const height = Math.max(HEAD, ...shown.map(column => cellTop(column, column.cells.length))) + 4;
  s.board.style.height = height + 'px';
  s.board.replaceChildren(
    lines(columns, height, [from, from + room]),
    ...shown.map((column, k) => columnOf(s, column, from + k, from)),
  );
  s.overview.frame(from, room);
  mark(s);
}

/** The column of a key: that of a cell begins with it. */
const columnKey = key => (key ?? '').split('.')[0];

/** Mark what is selected. */
function mark(s) {
  for (const box of s.root.querySelectorAll('.column')) {
    box.classList.toggle('selected', box.dataset.key === columnKey(s.selected));
  }
  for (const cell of s.root.querySelectorAll('.cell')) {
    cell.classList.toggle('selected', cell.dataset.key === (s.selected ?? ''));
  }
  s.overview.mark(s.data.columns.findIndex(column => column.key === columnKey(s.selected)));
}

function choose(s, key) {
  s.selected = key;
  show(s);
  mark(s);
  s.outbox.latest('select', { id: key });
}

function step(s, by) {
  const keys = s.data.columns.map(column => column.key);
  if (!keys.length) return;
  const at = keys.indexOf(columnKey(s.selected));
  choose(s, stepFrom(keys, at, by));
}

export default function beam({ parentElement, data, setStateValue }) {
  const s = stateOf(parentElement, root => ({ root, version: null, selected: null }));
  s.data = data;
  outboxOf(s, data, setStateValue);
  if (s.version !== data.version) {
    s.version = data.version;
    draw(s, data);
    s.room = 0;
  }
  // While the server has not heard the last click, what it says is old.
  if (s.outbox.settled) s.selected = data.selected;
  show(s);
  mark(s);
  s.root.onkeydown = event => {
    if (event.target instanceof HTMLInputElement) return;
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!by) return;
    step(s, by);
    event.preventDefault();
  };
}
