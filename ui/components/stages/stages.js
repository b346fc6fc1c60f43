// A table of counts: a click chooses a cell, a click on the chosen one frees it. The name of a row, its total and its
// facts stay in sight while the other columns move under them.
import { appendVisible, el, visible } from '../shared/dom.js';
import { claimFocus } from '../shared/focus.js';
import { outboxOf } from '../shared/messages.js';
import { count } from '../shared/numbers.js';
import { stateOf } from '../shared/state.js';

/** A heading. The names of types have no spaces: they break after their signs. */
function headed(name, scope) {
  const cell = el('th');
  for (const piece of name.split(/(?<=[_/.:])/)) {
    appendVisible(cell, piece);
    cell.append(el('wbr'));
  }
  cell.scope = scope;
  cell.title = visible(name);
  return cell;
}

function namedBy(row) {
  const cell = headed(row.name, 'row');
  if (row.help) {
    cell.title = row.help;
    cell.tabIndex = 0;
    cell.setAttribute('aria-description', row.help);
  }
  return cell;
}

function buttonOf(s, data, i, j) {
  const number = data.rows[i].counts[j];
  const head = data.heads[j ? j + data.rows[i].facts.length + 1 : 1];
  const button = el('button', '', count(number));
  button.type = 'button';
  button.disabled = number === 0;
  button.setAttribute('aria-label', `${visible(data.rows[i].name)}, ${visible(head)}: ${number}`);
  button.onclick = () => choose(s, i, j);
  return button;
}

function cellOf(button) {
  const cell = el('td');
  cell.append(button);
  return cell;
}

function build(s, data) {
  const table = el('table', 'stages');
  const head = el('tr');
  head.append(...data.heads.map(name => headed(name, 'col')));
  table.append(head);
  s.cells = data.rows.map((row, i) => {
    const line = el('tr');
    const buttons = row.counts.map((_, j) => buttonOf(s, data, i, j));
    const [total, ...others] = buttons.map(cellOf);
    const facts = row.facts.map(fact => el('td', 'fact', fact));
    line.append(namedBy(row), total, ...facts, ...others);
    table.append(line);
    return buttons;
  });
  const scroller = el('div', 'scroller');
  scroller.tabIndex = 0;
  scroller.setAttribute('role', 'group');
  scroller.setAttribute('aria-label', 'errors by stage and type');
  scroller.append(table);
  s.root.replaceChildren(scroller);
  s.watch?.disconnect();
  // Columns are as wide as there is room: their places change with the page.
  s.watch = new ResizeObserver(() => hold(table, 2 + (data.rows[0]?.facts.length ?? 0)));
  s.watch.observe(table);
}

/** Keep the first columns of a table at their places when the rest is scrolled. */
function hold(table, columns) {
  const rows = [...table.rows].map(row => [...row.cells].slice(0, columns));
  for (const cell of rows.flat()) {
    cell.classList.add('held');
    // Where it would be if it were not held.
    cell.style.left = 'auto';
  }
  const { left } = table.getBoundingClientRect();
  const places = rows[0].map(head => head.getBoundingClientRect().left - left);
  for (const cells of rows) cells.forEach((cell, column) => (cell.style.left = places[column] + 'px'));
}

const is = (cell, i, j) => cell !== null && cell[0] === i && cell[1] === j;

function choose(s, i, j) {
  mark(s, is(s.chosen, i, j) ? null : [i, j]);
  s.outbox.latest('choose', { cell: s.chosen });
  // The keyboard goes on where the cell leads: in the list of its cases.
  claimFocus('cases');
}

function mark(s, chosen) {
  s.chosen = chosen;
  s.cells.forEach((row, i) =>
    row.forEach((button, j) => button.setAttribute('aria-pressed', String(is(chosen, i, j)))),
  );
}

export default function stages({ parentElement, data, setStateValue }) {
  const s = stateOf(parentElement, root => ({ root, drawn: null, chosen: null }));
  outboxOf(s, data, setStateValue);
  const drawn = JSON.stringify([data.heads, data.rows]);
  if (s.drawn !== drawn) {
    s.drawn = drawn;
    build(s, data);
    mark(s, data.chosen);
  }
  // Until the server knows the last click, what it says is old.
  if (s.outbox.settled) mark(s, data.chosen);
}
