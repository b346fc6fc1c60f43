// The bars under the text: which row each span gets, and how its bar is painted.
import { isOn } from '../shared/bias.js';

const ROW = 6; // px per row of bars; the same as --row

const lengthOf = span => span.end - span.start;

/** Innermost first. */
export const byLength = (a, b) => lengthOf(a) - lengthOf(b);

/** Rows for spans so that no two that overlap share one; short spans lie next to the text. */
export function rowsOf(spans) {
  const taken = [];
  for (const span of [...spans].sort((a, b) => byLength(a, b) || a.start - b.start)) {
    let row = taken.findIndex(others => !others.some(other => other.start < span.end && span.start < other.end));
    if (row < 0) row = taken.push([]) - 1;
    taken[row].push(span);
    span.row = row;
  }
  return taken.length;
}

export const colourOf = span => `var(--c${(span.colour + 6) % 6})`;

export function predictedAt(span, bias) {
  return span.on && bias !== null && bias !== undefined ? isOn(span.on, bias) : span.predicted;
}

/** Gradients [image, position, size] that draw a span's part of a segment: an outline is gold, a fill predicted. */
function layersOf(segment, span, bias) {
  const layers = [];
  const lift = (segment.rows - 1 - span.row) * ROW;
  const y = `calc(100% - ${lift}px)`;
  if (span.gold) {
    const line = `linear-gradient(${colourOf(span)},${colourOf(span)})`;
    layers.push([line, `0 ${y}`, '100% 1px'], [line, `0 calc(100% - ${lift + 4}px)`, '100% 1px']);
    if (span.start === segment.start) layers.push([line, `left ${y}`, '1.5px 5px']);
    if (span.end === segment.end) layers.push([line, `right ${y}`, '1.5px 5px']);
  }
  if (predictedAt(span, bias)) {
    const strength = Math.round(100 * (0.3 + 0.6 * Math.max(0, Math.min(1, span.weight))));
    const fill = `color-mix(in srgb, ${colourOf(span)} ${strength}%, transparent)`;
    layers.push([`linear-gradient(${fill},${fill})`, `0 ${y}`, '100% 5px']);
  }
  return layers;
}

export function paint(segment, bias) {
  const layers = segment.spans.flatMap(span => layersOf(segment, span, bias));
  segment.node.style.backgroundImage = layers.map(l => l[0]).join(',');
  segment.node.style.backgroundPosition = layers.map(l => l[1]).join(',');
  segment.node.style.backgroundSize = layers.map(l => l[2]).join(',');
}
