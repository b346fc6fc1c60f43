// A table of constraints: a box switches one on or off, a field holds its price; an empty field is hard.
import { el, visible, visibleEl } from '../shared/dom.js';
import { outboxOf } from '../shared/messages.js';
import { count } from '../shared/numbers.js';
import { stateOf } from '../shared/state.js';

const HEADS = [
  ['on', 'Whether the constraint is used.'],
  ['constraint', 'The name in the constraint file.'],
  ['weight', 'Price of one violation; empty: it must hold.'],
  ['! alone', 'Violations by the classifiers alone, in this sentence.'],
  ['! together', 'Violations left after deciding together; only soft constraints can have any.'],
  ['binds', 'It restricts the decision: its row is at its bound.'],
];

function headOf() {
  const head = el('tr');
  for (const [name, about] of HEADS) {
    const cell = el('th', '', name);
    cell.title = about;
    cell.scope = 'col';
    head.append(cell);
  }
  return head;
}

function fieldsOf(row) {
  const box = el('input');
  box.type = 'checkbox';
  box.setAttribute('aria-label', visible(row.name));
  const price = el('input');
  Object.assign(price, { type: 'number', min: '0', step: 'any', placeholder: 'hard' });
  price.setAttribute('aria-label', 'weight of ' + visible(row.name));
  return { box, price };
}

function build(s, rows) {
  const table = el('table', 'switches');
  table.append(headOf());
  s.rows = rows.map((row, index) => {
    const { box, price } = fieldsOf(row);
    // A change is told when it is made: the box at once, the price on Enter or on leaving the field.
    box.onchange = price.onchange = () => tell(s);
    price.onkeydown = event => {
      if (event.key !== 'Escape') return;
      show(price, s.known[index].weight);
      price.blur();
    };
    const name = visibleEl('td', 'name', row.name);
    name.title = visible(row.name);
    const counts = [el('td', 'count'), el('td', 'count'), el('td', 'count')];
    const line = el('tr');
    line.append(el('td'), name, el('td'), ...counts);
    line.children[0].append(box);
    line.children[2].append(price);
    table.append(line);
    return { line, box, price, counts };
  });
  s.root.replaceChildren(table);
}

function show(price, weight) {
  price.value = weight === null ? '' : String(weight);
}

/** The whole table as the user wants it, so that of two quick changes neither is lost. */
function tell(s) {
  const rows = s.rows.map(({ box, price }) => ({
    on: box.checked,
    weight: price.value === '' ? null : Math.max(0, price.valueAsNumber),
  }));
  s.outbox.latest('want', { rows });
}

function refresh({ line, box, price, counts }, row, settled) {
  if (settled) {
    box.checked = row.on;
    if (price.getRootNode().activeElement !== price) show(price, row.weight);
  }
  line.classList.toggle('off', !box.checked);
  counts[0].textContent = row.alone ? count(row.alone) : '';
  counts[1].textContent = row.together ? count(row.together) : '';
  counts[2].textContent = row.binds ? '●' : '';
}

export default function switches({ parentElement, data, setStateValue }) {
  const s = stateOf(parentElement, root => ({ root, names: null }));
  const { settled } = outboxOf(s, data, setStateValue);
  const names = JSON.stringify(data.rows.map(row => row.name));
  if (s.names !== names) {
    s.names = names;
    build(s, data.rows);
  }
  s.known = data.rows;
  // Until the server knows the last change, what it says of boxes and prices is old.
  data.rows.forEach((row, index) => refresh(s.rows[index], row, settled));
}
