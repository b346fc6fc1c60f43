// Learning curves: the objective, and the dev scores, round by round. Redrawn in place as rounds come in.
import { chart, lineThrough } from '../shared/chart.js';
import { el, svg } from '../shared/dom.js';
import { drawn } from '../shared/drawn.js';
import { count, percent, three } from '../shared/numbers.js';
import { saveButtons } from '../shared/saving.js';

/** Places in the plane of a chart: the last round at the right, the highest value at the top. */
function scaleOf(lines, total) {
  const values = lines.flatMap(line => line.points.map(point => point[1]));
  let low = Math.min(...values);
  let high = Math.max(...values);
  if (high - low < 1e-9) {
    low -= Math.abs(low) * 0.05 + 1e-6;
    high += Math.abs(high) * 0.05 + 1e-6;
  }
  const last = Math.max(total || 1, ...lines.flatMap(line => line.points.map(point => point[0])));
  return {
    low,
    high,
    last,
    x: i => (last > 1 ? (1000 * (i - 1)) / (last - 1) : 500),
    y: v => (100 * (v - low)) / (high - low),
  };
}

function curveOf(line, scale) {
  const alone = line.points.length === 1;
  const d = lineThrough(line.points.map(([i, v]) => [scale.x(i), scale.y(v)]));
  const path = svg('path', { d: d + (alone ? 'h0.01' : ''), 'stroke-linecap': 'round' });
  path.style.stroke = line.colour;
  if (alone) path.style.strokeWidth = 6;
  return path;
}

function keyOf(line, shown) {
  const key = el('span', 'key', line.name + ' ');
  key.style.setProperty('--colour', line.colour);
  key.append(el('b', '', shown(line.points[line.points.length - 1][1])));
  return key;
}

function plot(lines, total, shown) {
  const scale = scaleOf(lines, total);
  const picture = chart(lines.map(line => line.name).join(', ') + ' by round');
  picture.append(...lines.map(line => curveOf(line, scale)));
  const caption = el('figcaption');
  caption.append(...lines.map(line => keyOf(line, shown)));
  const box = el('div', 'plot');
  for (const v of [scale.low, (scale.low + scale.high) / 2, scale.high]) {
    const tick = el('div', 'tick', shown(v));
    tick.style.top = 100 - scale.y(v) + '%';
    box.append(tick);
  }
  box.append(picture);
  const figure = el('figure');
  figure.append(caption, box, el('div', 'axis', `round 1 … ${count(scale.last)}`));
  return figure;
}

export default function rounds({ parentElement, data }) {
  const box = el('div', 'rounds');
  if (!data.objective.length) box.append(el('div', 'empty', data.empty));
  else {
    box.append(plot([{ name: 'objective', colour: 'var(--c0)', points: data.objective }], data.total, three));
    const scores = data.scores.map((line, i) => ({ ...line, colour: `var(--c${(i + 1) % 6})` }));
    if (scores.length) box.append(plot(scores, data.total, percent));
  }
  const save = data.objective.length ? [saveButtons(() => drawn(box), 'rounds')] : [];
  parentElement.querySelector('.root').replaceChildren(box, ...save);
}
