// Axes of the chart: where each step of the path stands on one, which step stands at a place, which part is in sight.

export const AXES = {
  bias: { name: 'bias', digits: 3 },
  answers: { name: 'answers given', digits: 0 },
  recall: { name: 'recall, percent', digits: 1 },
};

/** Where each step stands. Answers and recall fall as the bias rises; what rises a little on the way is levelled. */
export function placesOn(path, axis, whole) {
  const n = path.bias.length;
  const places = new Float64Array(n);
  for (let i = 0; i < n; i++) {
    if (axis === 'bias') places[i] = Number.isFinite(path.bias[i]) ? path.bias[i] : whole[0];
    else {
      const x = axis === 'answers' ? path.predicted[i] : (100 * path.found[i]) / Math.max(1, path.gold);
      places[i] = i ? Math.min(places[i - 1], x) : x;
    }
  }
  return { axis, values: places, rising: axis === 'bias' };
}

/** The step at a place: the last that begins there or before. */
export function stepAt(places, x) {
  const { values, rising } = places;
  let low = 0;
  let high = values.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (rising ? values[middle] <= x : values[middle] >= x) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** The ends of an axis, the lower first, with some room. */
export function wholeOf(places, whole) {
  if (places.rising) return whole;
  const last = places.values[places.values.length - 1];
  const room = 0.03 * (places.values[0] - last) || 1;
  return [last - room, places.values[0] + room];
}

/** A window of the bias on another axis. */
export function translated(path, places, whole, window) {
  if (places.rising) return window;
  const bias = placesOn(path, 'bias', whole);
  const ends = window.map(x => places.values[stepAt(bias, x)]).sort((a, b) => a - b);
  const room = 0.05 * (ends[1] - ends[0]) || 1;
  return [ends[0] - room, ends[1] + room];
}

/** The window moved or cut so that it stays within the whole and holds x. */
export function holding([low, high], x, [first, last]) {
  const width = Math.min(high - low, last - first);
  let from = low;
  if (x < low) from = x - 0.1 * width;
  if (x > high) from = x - 0.9 * width;
  from = Math.max(first, Math.min(last - width, from));
  return [from, from + width];
}

/** Round numbers for the ticks of a window. */
export function ticksOf([low, high], most = 8) {
  const rough = (high - low) / most;
  const size = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map(k => k * size).find(one => one >= rough);
  const ticks = [];
  for (let x = Math.ceil(low / step) * step; x <= high; x += step) ticks.push(Math.abs(x) < step / 2 ? 0 : x);
  return ticks;
}
