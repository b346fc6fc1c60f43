// The chart: precision, recall and F in the window, their bands, other runs, another score; below it the whole.
import { chart, lineThrough } from '../shared/chart.js';
import { el, svg } from '../shared/dom.js';
import { three } from '../shared/numbers.js';
import { insideOf, pointAt } from '../strip/path.js';
import { stepAt, ticksOf } from './view.js';

const ACROSS = 600; // places of the window at which lines are drawn; numbers are always those of the exact step
const LINES = ['recall', 'precision', 'f'];
const VALUE = { precision: 'p', recall: 'r', f: 'f' };

const share = (x, [low, high]) => (1000 * (x - low)) / (high - low);

export function chartBox(s) {
  const box = el('div', 'chart-box');
  const drawing = chart('precision, recall and F of the corpus in the window');
  for (const y of [0, 20, 40, 60, 80, 100]) {
    drawing.append(svg('path', { class: 'grid', d: `M0 ${y}L1000 ${y}` }));
    const tick = el('div', 'tick', String(100 - y));
    tick.style.top = y + '%';
    box.append(tick);
  }
  s.ticks = el('div', 'ticks');
  s.bands = svg('g');
  s.rivals = svg('g');
  s.lines = {};
  for (const name of LINES) s.lines[name] = svg('path', { class: name });
  s.extra = svg('path', { class: 'extra' });
  drawing.append(s.bands, s.rivals, ...Object.values(s.lines), s.extra);
  s.cursor = el('div', 'curve-cursor');
  s.homeMark = el('div', 'curve-home');
  s.bestDot = el('div', 'curve-best');
  box.append(drawing, s.homeMark, s.cursor, s.bestDot, s.ticks);
  s.picture = drawing;
  return box;
}

export function overviewBox(s) {
  const box = el('div', 'overview');
  const drawing = chart('the whole curve; the box is the window');
  s.small = svg('path', { class: 'f' });
  drawing.append(s.small);
  s.brush = el('div', 'brush');
  s.brush.append(el('div', 'edge left'), el('div', 'edge right'));
  s.smallCursor = el('div', 'curve-cursor');
  box.append(drawing, s.brush, s.smallCursor);
  return box;
}

function sampled(path, places, window, beta, value) {
  const points = [];
  for (let k = 0; k <= ACROSS; k++) {
    const x = window[0] + ((window[1] - window[0]) * k) / ACROSS;
    const i = stepAt(places, x);
    if (value !== 'r' && path.predicted[i] === 0) continue;
    points.push([(1000 * k) / ACROSS, 100 * pointAt(path, i, beta)[value]]);
  }
  return points;
}

function bandPath(band, name, places, window) {
  const known = band.bias.map((x, k) => [share(x, window), band[name][k]]).filter(([, two]) => two !== null);
  if (!known.length || places.axis !== 'bias') return '';
  const clipped = known.filter(([x]) => x > -400 && x < 1400);
  const up = clipped.map(([x, [, high]]) => [x, 100 * high]);
  const down = clipped.map(([x, [low]]) => [x, 100 * low]).reverse();
  return clipped.length ? lineThrough([...up, ...down]) + 'Z' : '';
}

function drawBands(s) {
  s.bands.replaceChildren(
    ...(s.band ? LINES : []).map(name =>
      svg('path', { class: `band ${name}`, d: bandPath(s.band, name, s.places, s.window) }),
    ),
  );
}

function drawRivals(s) {
  const value = s.places.axis === 'recall' ? 'p' : 'f';
  s.rivals.replaceChildren(
    ...s.others.map((one, k) =>
      svg('path', {
        class: `rival rival${k % 4}`,
        d: lineThrough(sampled(one.path, one.places, s.window, s.beta, value)),
      }),
    ),
  );
}

function drawExtra(s) {
  const one = s.score;
  if (!one || s.places.axis !== 'bias') return s.extra.setAttribute('d', '');
  const points = one.bias.map((x, k) => [share(x, s.window), 100 * one.values[k]]);
  return s.extra.setAttribute('d', lineThrough(points));
}

function drawTicks(s) {
  s.ticks.replaceChildren(
    ...ticksOf(s.window).map(x => {
      const tick = el('div', 'tick-x', three(Number(x.toPrecision(6))));
      tick.style.left = share(x, s.window) / 10 + '%';
      return tick;
    }),
  );
}

/** Where a mark stands: at its bias, which lies within its step; along another axis all of a step is one place. */
export function markAt(s, index, bias) {
  if (s.places.axis !== 'bias') return s.places.values[index];
  return Math.max(s.whole[0], Math.min(s.whole[1], bias));
}

/** All that depends on the window, the axis or beta. */
export function drawWindow(s) {
  for (const name of LINES)
    s.lines[name].setAttribute('d', lineThrough(sampled(s.path, s.places, s.window, s.beta, VALUE[name])));
  drawBands(s);
  drawRivals(s);
  drawExtra(s);
  drawTicks(s);
  place(s.bestDot, markAt(s, s.bestIndex, insideOf(s.path, s.bestIndex)), s.window);
  s.bestDot.style.top = 100 - 100 * pointAt(s.path, s.bestIndex, s.beta).f + '%';
  place(s.homeMark, markAt(s, s.homeIndex, s.home), s.window);
  const [low, high] = s.window.map(x => share(x, s.whole) / 10);
  s.brush.style.left = Math.max(0, low) + '%';
  s.brush.style.width = Math.min(100, high) - Math.max(0, low) + '%';
}

export function drawWhole(s) {
  s.small.setAttribute('d', lineThrough(sampled(s.path, s.places, s.whole, s.beta, 'f')));
}

/** Put a mark at a place; one out of the window is not shown. */
export function place(node, x, window) {
  const at = share(x, window) / 10;
  node.style.left = at + '%';
  node.hidden = at < -0.01 || at > 100.01;
}
