// A table of counts: a click chooses a cell, a click on the chosen one frees it. The first head is that of the names.

function build(s, data) {
  const table = el('table', 'stages'), head = el('tr');
  for (const name of data.heads) {
    const cell = el('th');
    cell.scope = 'col';
    appendVisible(cell, name);
    head.append(cell);
  }
  table.append(head);
  s.cells = data.rows.map((row, i) => {
    const line = el('tr'), name = el('th');
    name.scope = 'row';
    appendVisible(name, row.name);
    line.append(name);
    const buttons = row.counts.map((number, j) => {
      const cell = el('td'), button = el('button', null, count(number));
      button.type = 'button';
      button.disabled = number === 0;
      button.setAttribute('aria-label', `${visible(row.name)}, ${visible(data.heads[j + 1])}: ${number}`);
      button.onclick = () => choose(s, i, j);
      cell.append(button);
      line.append(cell);
      return button;
    });
    for (const fact of row.facts) line.append(el('td', 'fact', fact));
    table.append(line);
    return buttons;
  });
  s.root.replaceChildren(table);
}

function choose(s, i, j) {
  const again = s.chosen !== null && s.chosen[0] === i && s.chosen[1] === j;
  mark(s, again ? null : [i, j]);
  s.send('picked', numbered(s, { cell: s.chosen }));
}

function mark(s, chosen) {
  s.chosen = chosen;
  s.cells.forEach((row, i) => row.forEach((button, j) => {
    button.setAttribute('aria-pressed', String(chosen !== null && chosen[0] === i && chosen[1] === j));
  }));
}

export default function ({ parentElement, data, setStateValue }) {
  const root = parentElement.querySelector('.root');
  const s = stateOf(root, () => ({ root, drawn: null, chosen: null }));
  s.send = setStateValue;
  const drawn = JSON.stringify([data.heads, data.rows]);
  if (s.drawn !== drawn) { s.drawn = drawn; build(s, data); mark(s, data.chosen); }
  // Until the server knows the last click, what it says is old.
  if (answered(s, data.ack)) mark(s, data.chosen);
}
