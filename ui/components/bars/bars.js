// Contributions of features to a score: one bar each, to the right when it raises the score, to the left when it lowers it.

function draw(s, data) {
  const rows = s.open ? data.rows : data.rows.slice(0, data.most);
  const box = el('div');
  if (data.caption) box.append(el('div', 'caption', data.caption));
  if (!data.rows.length) { box.append(el('div', 'empty', data.empty)); s.root.replaceChildren(box); return; }
  const grid = el('div', 'bars');
  grid.setAttribute('role', 'table');
  const up = Math.max(0, ...data.rows.map(row => row.contribution)), down = Math.max(0, ...data.rows.map(row => -row.contribution));
  const width = up + down || 1, zero = 100 * down / width;
  grid.style.setProperty('--zero', zero + '%');
  const head = el('div', 'row head');
  head.append(el('div', '', data.heads[0]), el('div', 'value', data.heads[1]), el('div'), el('div', 'amount', data.heads[2]));
  grid.append(head);
  for (const row of rows) {
    const line = el('div', 'row');
    line.setAttribute('role', 'row');
    const name = el('div', 'name');
    appendVisible(name, row.name);
    name.title = visible(row.help ? row.name + ' — ' + row.help : row.name);
    const track = el('div', 'track'), bar = el('div', 'bar ' + (row.contribution >= 0 ? 'up' : 'down'));
    const length = 100 * Math.abs(row.contribution) / width;
    bar.style.width = length + '%';
    bar.style.left = (row.contribution >= 0 ? zero : zero - length) + '%';
    track.append(bar);
    const signed = (row.contribution > 0 ? '+' : '') + three(row.contribution);
    line.append(name, el('div', 'value', row.value === null ? '' : typeof row.value === 'number' ? three(row.value) : row.value), track, el('div', 'amount', signed));
    grid.append(line);
  }
  if (data.total !== null) {
    const total = el('div', 'row total');
    total.append(el('div', 'name', data.total_name), el('div', 'value'), el('div', 'track'), el('div', 'amount', three(data.total)));
    grid.append(total);
  }
  if (data.rows.length > data.most) {
    const more = el('button', 'plain-button more', s.open ? 'show fewer' : `${count(data.rows.length - data.most)} more`);
    more.onclick = () => { s.open = !s.open; draw(s, data); };
    grid.append(more);
  }
  box.append(grid);
  s.root.replaceChildren(box);
}

export default function ({ parentElement, data }) {
  const root = parentElement.querySelector('.root');
  draw(stateOf(root, () => ({ root, open: false })), data);
}
