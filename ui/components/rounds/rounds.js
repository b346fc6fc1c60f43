// Learning curves: the objective, and the dev scores, round by round. Redrawn in place as rounds come in.

function plot(lines, total, asPercent) {
  const values = lines.flatMap(line => line.points.map(point => point[1]));
  let low = Math.min(...values), high = Math.max(...values);
  if (high - low < 1e-9) { low -= Math.abs(low) * 0.05 + 1e-6; high += Math.abs(high) * 0.05 + 1e-6; }
  const last = Math.max(total || 1, ...lines.flatMap(line => line.points.map(point => point[0])));
  const x = i => (last > 1 ? 1000 * (i - 1) / (last - 1) : 500);
  const y = v => 100 - 100 * (v - low) / (high - low);
  const box = el('div', 'plot');
  const picture = svg('svg', { viewBox: '0 0 1000 100', preserveAspectRatio: 'none', role: 'img' });
  const figure = el('figure'), caption = el('figcaption');
  lines.forEach(line => {
    const d = line.points.map(([i, v], k) => (k ? 'L' : 'M') + x(i).toFixed(1) + ' ' + y(v).toFixed(2)).join('')
      + (line.points.length === 1 ? 'h0.01' : '');
    const path = svg('path', { d, 'stroke-linecap': 'round' });
    path.style.stroke = line.colour;
    if (line.points.length === 1) path.style.strokeWidth = 6;
    picture.append(path);
    const key = el('span', 'key', line.name + ' ');
    key.style.setProperty('--colour', line.colour);
    const value = line.points[line.points.length - 1][1];
    key.append(el('b', '', asPercent ? percent(value) : three(value)));
    caption.append(key);
  });
  for (const v of [low, (low + high) / 2, high]) {
    const tick = el('div', 'tick', asPercent ? percent(v) : three(v));
    tick.style.top = y(v) + '%';
    box.append(tick);
  }
  box.append(picture);
  figure.append(caption, box, el('div', 'axis', `round 1 … ${count(last)}`));
  return figure;
}

export default function ({ parentElement, data }) {
  const root = parentElement.querySelector('.root');
  const box = el('div', 'rounds');
  if (!data.objective.length) box.append(el('div', 'empty', data.empty));
  else {
    box.append(plot([{ name: 'objective', colour: 'var(--c0)', points: data.objective }], data.total, false));
    if (data.scores.length) {
      box.append(plot(data.scores.map((line, i) => ({ ...line, colour: `var(--c${(i + 1) % 6})` })), data.total, true));
    }
  }
  root.replaceChildren(box);
}
