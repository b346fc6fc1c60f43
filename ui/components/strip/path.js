// The path of operating points: for every step its bias and counts. Nothing here knows the page.

function numbersFrom(base64, Kind) {
  const bytes = Uint8Array.from(atob(base64), c => c.charCodeAt(0));
  return new Kind(bytes.buffer);
}

export function pathFrom(data) {
  return {
    bias: numbersFrom(data.bias, Float64Array),
    correct: numbersFrom(data.correct, Int32Array),
    found: numbersFrom(data.found, Int32Array),
    predicted: numbersFrom(data.predicted, Int32Array),
    until: data.until ? numbersFrom(data.until, Float64Array) : null,
    gold: data.gold,
    first: data.first,
  };
}

const ratio = (top, bottom) => (bottom > 0 ? top / bottom : 0);

/** The scores of step i. Where nothing is predicted there is no precision: it counts as 0 and is not shown. */
export function pointAt(path, i, beta) {
  const p = ratio(path.correct[i], path.predicted[i]);
  const r = ratio(path.found[i], path.gold);
  const b2 = beta * beta;
  return { p, r, f: ratio((1 + b2) * p * r, b2 * p + r) };
}

/** The step that a bias gives. */
export function indexAt(path, bias) {
  let low = 0;
  let high = path.bias.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (path.bias[middle] <= bias) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** Where step i ends. Of a thinned path the next point kept may lie further on. */
function untilOf(path, i) {
  if (path.until) return path.until[i];
  return i + 1 < path.bias.length ? path.bias[i + 1] : Infinity;
}

/** A bias that gives step i: away from its edges, so that rounding cannot leave it; of a grid the one that was tried. */
export function insideOf(path, i) {
  if (path.first !== null) return i ? path.bias[i] : path.first;
  const low = path.bias[i];
  const high = untilOf(path, i);
  if (Number.isFinite(low) && Number.isFinite(high)) return (low + high) / 2;
  if (Number.isFinite(high)) return high - 1;
  return Number.isFinite(low) ? low + 1 : 0;
}

/** Step with the highest F; of equal ones the widest bounded one. */
export function bestIndex(path, beta) {
  let best = 0;
  let bestF = -1;
  let bestWidth = -1;
  for (let i = 0; i < path.bias.length; i++) {
    const f = pointAt(path, i, beta).f;
    let width = untilOf(path, i) - path.bias[i];
    if (!Number.isFinite(width)) width = 0;
    if (f > bestF + 1e-12 || (Math.abs(f - bestF) <= 1e-12 && width > bestWidth)) {
      best = i;
      bestF = f;
      bestWidth = width;
    }
  }
  return best;
}

/** Most precision among the steps that reach the target recall; null if none does. */
export function indexForRecall(path, target) {
  let best = null;
  let bestPrecision = -1;
  for (let i = 0; i < path.bias.length; i++) {
    const { p, r } = pointAt(path, i, 1);
    if (r >= target && p > bestPrecision) {
      best = i;
      bestPrecision = p;
    }
  }
  return best;
}

/** Most recall among the steps that reach the target precision; null if none does. */
export function indexForPrecision(path, target) {
  let best = null;
  let bestRecall = -1;
  for (let i = 0; i < path.bias.length; i++) {
    const { p, r } = pointAt(path, i, 1);
    if (path.predicted[i] > 0 && p >= target && r > bestRecall) {
      best = i;
      bestRecall = r;
    }
  }
  return best;
}
