// Contributions of features to a score: one bar each, to the right when it raises the score, else to the left.
import { appendVisible, el, visible } from '../shared/dom.js';
import { count, three } from '../shared/numbers.js';
import { stateOf } from '../shared/state.js';

/** How long the bars are, in percent of the width, and where zero is. */
function scaleOf(rows) {
  const up = Math.max(0, ...rows.map(row => row.contribution));
  const down = Math.max(0, ...rows.map(row => -row.contribution));
  const width = up + down || 1;
  return { zero: (100 * down) / width, length: amount => (100 * Math.abs(amount)) / width };
}

function lineOf(row, scale) {
  const line = el('div', 'row');
  const name = el('div', 'name one-line');
  appendVisible(name, row.name);
  name.title = visible(row.help ? row.name + ' — ' + row.help : row.name);
  const raises = row.contribution >= 0;
  const track = el('div', 'track');
  const bar = el('div', 'bar ' + (raises ? 'up' : 'down'));
  const length = scale.length(row.contribution);
  bar.style.width = length + '%';
  bar.style.left = (raises ? scale.zero : scale.zero - length) + '%';
  track.append(bar);
  const value = row.value === null ? '' : typeof row.value === 'number' ? three(row.value) : row.value;
  const signed = (row.contribution > 0 ? '+' : '') + three(row.contribution);
  // Pairs of numbers stay on their line; only words wrap.
  const told = typeof value === 'string' && value.length > 20;
  line.append(name, el('div', told ? 'value told' : 'value', value), track, el('div', 'amount', signed));
  return line;
}

function headOf(heads) {
  const head = el('div', 'row head');
  head.append(el('div', '', heads[0]), el('div', 'value', heads[1]), el('div'), el('div', 'amount', heads[2]));
  return head;
}

function totalOf(data) {
  const total = el('div', 'row total');
  const amount = el('div', 'amount', three(data.total));
  total.append(el('div', 'name one-line', data.total_name), el('div', 'value'), el('div', 'track'), amount);
  return total;
}

function draw(s, data) {
  const box = el('div');
  if (data.caption) box.append(el('div', 'caption', data.caption));
  if (!data.rows.length) {
    box.append(el('div', 'empty', data.empty));
    s.root.replaceChildren(box);
    return;
  }
  const grid = el('div', 'bars');
  grid.setAttribute('role', 'group');
  grid.setAttribute('aria-label', data.caption || 'what each feature adds');
  const scale = scaleOf(data.rows);
  grid.style.setProperty('--zero', scale.zero + '%');
  const rows = s.open ? data.rows : data.rows.slice(0, data.most);
  grid.append(headOf(data.heads), ...rows.map(row => lineOf(row, scale)));
  if (data.total !== null) grid.append(totalOf(data));
  if (data.rows.length > data.most) {
    const label = s.open ? 'show fewer' : `${count(data.rows.length - data.most)} more`;
    const more = el('button', 'plain-button more', label);
    more.onclick = () => {
      s.open = !s.open;
      draw(s, data);
    };
    grid.append(more);
  }
  box.append(grid);
  s.root.replaceChildren(box);
}

export default function bars({ parentElement, data }) {
  draw(
    stateOf(parentElement, root => ({ root, open: false })),
    data,
  );
}
