// The drawn curves: precision, recall and F by bias.
import { chart, lineThrough } from '../shared/chart.js';
import { el, svg } from '../shared/dom.js';
import { bestIndex, pointAt } from './path.js';

const DRAWN = 500; // points of the drawn line; the numbers at the cursor are always those of the exact step

function drawnIndices(n) {
  if (n <= DRAWN) return Array.from({ length: n }, (_, i) => i);
  return Array.from({ length: DRAWN }, (_, i) => Math.round((i * (n - 1)) / (DRAWN - 1)));
}

/** How far along step i of n is, in percent. */
export const shareOf = (i, n) => (n > 1 ? (100 * i) / (n - 1) : 50);

/** The box with the curves by bias, without its lines: these follow beta. */
export function curveBox(s) {
  const curve = el('div', 'curve');
  const drawing = chart('precision, recall and F at every bias');
  for (const y of [0, 100]) drawing.append(svg('path', { class: 'grid', d: `M0 ${y}L1000 ${y}` }));
  s.lines = {};
  for (const name of ['recall', 'precision', 'f']) s.lines[name] = svg('path', { class: name });
  drawing.append(...Object.values(s.lines));
  s.cursor = el('div', 'curve-cursor');
  s.homeMark = el('div', 'curve-home');
  s.bestDot = el('div', 'curve-best');
  curve.append(drawing, s.homeMark, s.cursor, s.bestDot);
  return curve;
}

export function drawCurves(s) {
  const n = s.path.bias.length;
  const points = drawnIndices(n).map(i => ({
    x: 10 * shareOf(i, n),
    said: s.path.predicted[i] > 0,
    ...pointAt(s.path, i, s.beta),
  }));
  const precise = points.filter(({ said }) => said);
  s.lines.precision.setAttribute('d', lineThrough(precise.map(({ x, p }) => [x, 100 * p])));
  s.lines.recall.setAttribute('d', lineThrough(points.map(({ x, r }) => [x, 100 * r])));
  s.lines.f.setAttribute('d', lineThrough(points.map(({ x, f }) => [x, 100 * f])));
  s.bestIndex = bestIndex(s.path, s.beta);
  s.bestDot.style.left = shareOf(s.bestIndex, n) + '%';
  s.bestDot.style.top = 100 - 100 * pointAt(s.path, s.bestIndex, s.beta).f + '%';
}
