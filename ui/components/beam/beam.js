// The beam: columns are decisions in the order in which they were made, cells are sequences, best first.
// Filled: the sequence that was chosen. ✓ and outline: the right one. Grey below the line: pruned.

const WIDTH = 176, GAP = 34, CELL = 40, HEAD = 46, CUT = 20;

function cellTop(column, index) {
  const kept = column.cells.filter(cell => cell.kept).length;
  return HEAD + index * CELL + (index >= kept ? CUT : 0);
}

function lines(columns, height) {
  const width = columns.length * (WIDTH + GAP);
  const drawing = svg('svg', { width, height, class: 'lines', 'aria-hidden': 'true' });
  columns.forEach((column, t) => {
    if (!t) return;
    column.cells.forEach((cell, k) => {
      const before = columns[t - 1];
      if (cell.parent < 0 || cell.parent >= before.cells.length) return;
      const x0 = t * (WIDTH + GAP) - GAP, x1 = x0 + GAP;
      const y0 = cellTop(before, cell.parent) + CELL / 2 - 3, y1 = cellTop(column, k) + CELL / 2 - 3;
      const state = cell.chosen ? 'chosen' : cell.gold ? 'gold' : cell.kept ? 'kept' : 'pruned';
      drawing.append(svg('path', { d: `M${x0},${y0} C${x0 + GAP / 2},${y0} ${x1 - GAP / 2},${y1} ${x1},${y1}`, class: state }));
    });
  });
  return drawing;
}

function cellButton(s, cell, top) {
  const state = [cell.kept ? 'kept' : 'pruned', cell.chosen ? 'chosen' : '', cell.gold ? 'gold' : ''].join(' ');
  const button = el('button', 'cell ' + state);
  button.style.top = top + 'px';
  button.dataset.key = cell.key;
  const name = el('span', 'entity');
  if (cell.gold) name.append(el('span', 'sign', '✓ '));
  appendVisible(name, cell.entity);
  const facts = el('span', 'facts');
  facts.append(el('span', '', cell.kept ? percent(cell.probability) + ' %' : 'pruned'), el('span', 'score', three(cell.score)));
  button.append(name, facts);
  if (cell.kept) {
    const share = el('span', 'share');
    share.style.width = 100 * cell.probability + '%';
    button.append(share);
  }
  const words = [cell.entity, cell.kept ? percent(cell.probability) + ' % of the beam' : 'pruned', 'score ' + three(cell.score), 'this step adds ' + three(cell.added)];
  if (cell.ahead) words.push('the other direction adds ' + three(cell.ahead) + ' when sequences are ranked');
  if (cell.gold) words.push('on the right sequence');
  if (cell.chosen) words.push('on the chosen sequence');
  button.title = visible(words.join('\n'));
  button.setAttribute('aria-label', visible(words.join(', ')));
  button.onclick = () => s.choose(cell.key);
  return button;
}

/** Where the right one stands in a column. */
function noteOf(column) {
  if (column.pinned_away) return 'your pin forbids the right one';
  if (column.fell) return '✗ the right one was pruned here';
  if (column.gold_rank === null) return 'right one already lost';
  return `right one is ${column.gold_rank} of ${count(column.n_expansions)}`;
}

function draw(s, data) {
  const scroller = el('div', 'scroller');
  const height = Math.max(HEAD, ...data.columns.map(column => cellTop(column, column.cells.length))) + 4;
  const board = el('div', 'board');
  board.style.width = data.columns.length * (WIDTH + GAP) + 'px';
  board.style.height = height + 'px';
  board.append(lines(data.columns, height));
  data.columns.forEach((column, t) => {
    const box = el('div', 'column' + (column.fell ? ' fell' : ''));
    box.style.left = t * (WIDTH + GAP) + 'px';
    box.dataset.key = column.key;
    box.setAttribute('role', 'group');
    const head = el('button', 'head');
    const surface = el('span', 'surface');
    surface.append(el('span', 'number', String(t + 1)));
    appendVisible(surface, column.surface);
    head.append(surface, el('span', 'note', noteOf(column)));
    head.title = visible(column.surface);
    head.onclick = () => s.choose(column.key);
    box.append(head);
    const kept = column.cells.filter(cell => cell.kept).length;
    column.cells.forEach((cell, k) => box.append(cellButton(s, cell, cellTop(column, k))));
    if (kept < column.cells.length) {
      const cut = el('div', 'cut', 'pruned');
      cut.style.top = HEAD + kept * CELL + 'px';
      box.append(cut);
    }
    board.append(box);
  });
  scroller.append(board);
  const parts = [];
  if (data.caption) parts.push(el('div', 'caption', data.caption));
  parts.push(scroller);
  s.scroller = scroller;
  s.root.replaceChildren(...parts);
}

/** Mark what is selected, and bring its column into view without moving the page. */
function mark(s, data) {
  const selected = s.selected ?? '';
  const column = selected.split('.')[0];
  let found = null;
  for (const box of s.root.querySelectorAll('.column')) {
    const here = box.dataset.key === column;
    box.classList.toggle('selected', here);
    if (here) found = box;
  }
  for (const cell of s.root.querySelectorAll('.cell')) cell.classList.toggle('selected', cell.dataset.key === selected);
  if (found && s.scroller) {
    const left = parseFloat(found.style.left);
    const { scrollLeft, clientWidth } = s.scroller;
    if (left < scrollLeft || left + WIDTH > scrollLeft + clientWidth) s.scroller.scrollLeft = Math.max(0, left - clientWidth / 2 + WIDTH / 2);
  }
}

function step(s, by) {
  const keys = s.data.columns.map(column => column.key);
  if (!keys.length) return;
  const at = keys.indexOf((s.selected ?? '').split('.')[0]);
  s.choose(keys[Math.min(keys.length - 1, Math.max(0, at < 0 ? 0 : at + by))]);
}

export default function ({ parentElement, data, setStateValue }) {
  const root = parentElement.querySelector('.root');
  const s = stateOf(root, () => ({ root, version: null, selected: null }));
  s.data = data;
  s.choose = key => { s.selected = key; mark(s, data); setStateValue('selected', numbered(s, { id: key })); };
  if (s.version !== data.version) { s.version = data.version; draw(s, data); }
  // While the server has not heard the last click, what it says is old.
  if (answered(s, data.ack)) s.selected = data.selected;
  mark(s, data);
  root.onkeydown = event => {
    if (event.key === 'ArrowRight') { step(s, 1); event.preventDefault(); }
    if (event.key === 'ArrowLeft') { step(s, -1); event.preventDefault(); }
  };
}
