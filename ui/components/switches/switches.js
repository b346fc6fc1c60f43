// A table of constraints: a box switches one on or off, a field holds its price; an empty field is hard.

const HEADS = [
  ['on', 'Whether it takes part in the decision.'],
  ['constraint', 'Its name in the constraint file.'],
  ['weight', 'Price of one violation; empty is hard.'],
  ['! alone', 'Violations by the classifiers alone, in this sentence.'],
  ['! together', 'Violations left after deciding together: only soft ones can be.'],
  ['binds', 'Holds the decision: a row at its bound.'],
];

function build(s, rows) {
  const table = el('table', 'switches'), head = el('tr');
  for (const [name, about] of HEADS) {
    const cell = el('th', null, name);
    cell.title = about;
    cell.scope = 'col';
    head.append(cell);
  }
  table.append(head);
  s.rows = rows.map((row, index) => {
    const line = el('tr'), box = el('input'), price = el('input');
    box.type = 'checkbox';
    price.type = 'number';
    price.min = '0';
    price.step = 'any';
    price.placeholder = 'hard';
    const name = el('td', 'name');
    appendVisible(name, row.name);
    name.title = visible(row.name);
    box.setAttribute('aria-label', visible(row.name));
    price.setAttribute('aria-label', 'weight of ' + visible(row.name));
    // A change is told when it is made: the box at once, the price on Enter or on leaving the field.
    box.onchange = price.onchange = () => tell(s);
    price.onkeydown = event => { if (event.key === 'Escape') { show(price, s.known[index].weight); price.blur(); } };
    const counts = [el('td', 'count'), el('td', 'count'), el('td', 'count')];
    line.append(el('td'), name, el('td'), ...counts);
    line.children[0].append(box);
    line.children[2].append(price);
    table.append(line);
    return { line, box, price, counts };
  });
  s.root.replaceChildren(table);
}

function show(price, weight) { price.value = weight === null ? '' : String(weight); }

function tell(s) {
  const rows = s.rows.map(({ box, price }) => ({
    on: box.checked,
    weight: price.value === '' ? null : Math.max(0, price.valueAsNumber),
  }));
  s.send('wanted', numbered(s, { rows }));
}

export default function ({ parentElement, data, setStateValue }) {
  const root = parentElement.querySelector('.root');
  const s = stateOf(root, () => ({ root, names: null }));
  s.send = setStateValue;
  const names = JSON.stringify(data.rows.map(row => row.name));
  if (s.names !== names) { s.names = names; build(s, data.rows); }
  // Until the server knows the last change, what it says of boxes and prices is old.
  const settled = answered(s, data.ack);
  s.known = data.rows;
  data.rows.forEach((row, index) => {
    const { line, box, price, counts } = s.rows[index];
    if (settled) {
      box.checked = row.on;
      if (price.getRootNode().activeElement !== price) show(price, row.weight);
    }
    line.classList.toggle('off', !box.checked);
    counts[0].textContent = row.alone ? count(row.alone) : '';
    counts[1].textContent = row.together ? count(row.together) : '';
    counts[2].textContent = row.binds ? '●' : '';
  });
}
