// A table of counts: a click chooses a cell, a click on the chosen one frees it. The first head is that of the names.
import { el, visible, visibleEl } from '../shared/dom.js';
import { outboxOf } from '../shared/messages.js';
import { count } from '../shared/numbers.js';
import { stateOf } from '../shared/state.js';

function headed(name, scope) {
  const cell = visibleEl('th', '', name);
  cell.scope = scope;
  return cell;
}

function buttonOf(s, data, i, j) {
  const number = data.rows[i].counts[j];
  const button = el('button', '', count(number));
  button.type = 'button';
  button.disabled = number === 0;
  button.setAttribute('aria-label', `${visible(data.rows[i].name)}, ${visible(data.heads[j + 1])}: ${number}`);
  button.onclick = () => choose(s, i, j);
  return button;
}

function build(s, data) {
  const table = el('table', 'stages');
  const head = el('tr');
  head.append(...data.heads.map(name => headed(name, 'col')));
  table.append(head);
  s.cells = data.rows.map((row, i) => {
    const line = el('tr');
    line.append(headed(row.name, 'row'));
    const buttons = row.counts.map((_, j) => buttonOf(s, data, i, j));
    for (const button of buttons) {
      const cell = el('td');
      cell.append(button);
      line.append(cell);
    }
    line.append(...row.facts.map(fact => el('td', 'fact', fact)));
    table.append(line);
    return buttons;
  });
  s.root.replaceChildren(table);
}

const is = (cell, i, j) => cell !== null && cell[0] === i && cell[1] === j;

function choose(s, i, j) {
  mark(s, is(s.chosen, i, j) ? null : [i, j]);
  s.outbox.latest('choose', { cell: s.chosen });
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
