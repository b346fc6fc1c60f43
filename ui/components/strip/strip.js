// The knob: the whole path of operating points is here, so moving costs no message; one is sent on release.

const DRAWN = 500; // points of the drawn line; the numbers at the cursor are always those of the exact step

function numbersFrom(base64, Kind) {
  const bytes = Uint8Array.from(atob(base64), c => c.charCodeAt(0));
  return new Kind(bytes.buffer);
}

const ratio = (top, bottom) => (bottom > 0 ? top / bottom : 0);

/** The scores of step i. Where nothing is predicted there is no precision: it counts as 0 and is not shown. */
function pointAt(path, i, beta) {
  const p = ratio(path.correct[i], path.predicted[i]);
  const r = ratio(path.found[i], path.gold);
  const b2 = beta * beta;
  return { p, r, f: ratio((1 + b2) * p * r, b2 * p + r) };
}

function indexAt(path, bias) {
  let low = 0, high = path.bias.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (path.bias[middle] <= bias) low = middle; else high = middle - 1;
  }
  return low;
}

/** Where step i ends. Of a thinned path the next point kept may lie further on. */
const untilOf = (path, i) => (path.until ? path.until[i] : i + 1 < path.bias.length ? path.bias[i + 1] : Infinity);

/** A bias that gives step i: away from its edges, so that rounding cannot leave it; of a grid the one that was tried. */
function insideOf(path, i) {
  if (path.first !== null) return i ? path.bias[i] : path.first;
  const low = path.bias[i], high = untilOf(path, i);
  if (Number.isFinite(low) && Number.isFinite(high)) return (low + high) / 2;
  if (Number.isFinite(high)) return high - 1;
  return Number.isFinite(low) ? low + 1 : 0;
}

/** Step with the highest F; of equal ones the widest bounded one. */
function bestIndex(path, beta) {
  let best = 0, bestF = -1, bestWidth = -1;
  for (let i = 0; i < path.bias.length; i++) {
    const f = pointAt(path, i, beta).f;
    let width = untilOf(path, i) - path.bias[i];
    if (!Number.isFinite(width)) width = 0;
    if (f > bestF + 1e-12 || (Math.abs(f - bestF) <= 1e-12 && width > bestWidth)) { best = i; bestF = f; bestWidth = width; }
  }
  return best;
}

/** Most recall among the steps that reach the target precision; null if none does. */
function indexForPrecision(path, target) {
  let best = null, bestRecall = -1;
  for (let i = 0; i < path.bias.length; i++) {
    const { p, r } = pointAt(path, i, 1);
    if (path.predicted[i] > 0 && p >= target && r > bestRecall) { best = i; bestRecall = r; }
  }
  return best;
}

function drawnIndices(n) {
  if (n <= DRAWN) return Array.from({ length: n }, (_, i) => i);
  return Array.from({ length: DRAWN }, (_, i) => Math.round(i * (n - 1) / (DRAWN - 1)));
}

function curveOf(s) {
  const n = s.path.bias.length;
  const x = i => (n > 1 ? 1000 * i / (n - 1) : 500);
  const indices = drawnIndices(n);
  const points = indices.map(i => [i, pointAt(s.path, i, s.beta)]);
  const precise = points.filter(([i]) => s.path.predicted[i] > 0);
  const line = (some, left, name) => some.map((one, k) => (k ? 'L' : 'M') + left(one).toFixed(1) + ' ' + (100 - 100 * one[1][name]).toFixed(2)).join('');
  const byBias = ([i]) => x(i), byRecall = ([, point]) => 1000 * point.r;
  s.lines.precision.setAttribute('d', line(precise, byBias, 'p'));
  s.lines.recall.setAttribute('d', line(points, byBias, 'r'));
  s.lines.f.setAttribute('d', line(points, byBias, 'f'));
  s.bestIndex = bestIndex(s.path, s.beta);
  s.bestDot.style.left = x(s.bestIndex) / 10 + '%';
  s.bestDot.style.top = 100 - 100 * pointAt(s.path, s.bestIndex, s.beta).f + '%';
  if (s.against) s.against.line.setAttribute('d', line(precise, byRecall, 'p'));
}

function show(s) {
  const i = +s.range.value, n = s.path.bias.length;
  const point = pointAt(s.path, i, s.beta);
  const place = (n > 1 ? 100 * i / (n - 1) : 50) + '%';
  s.cursor.style.left = place;
  const bias = i === s.homeIndex ? s.home : insideOf(s.path, i);
  s.bias = bias;
  s.out.bias.textContent = three(bias);
  s.out.step.textContent = `step ${count(i + 1)} of ${count(n)}${s.exact ? '' : ' · grid'}`;
  s.out.step.title = !s.exact ? 'Search is approximate here: these are the points of a grid.'
    : s.path.until ? `${count(n)} of ${count(s.all)} operating points, spread evenly; each number is exact.`
    : 'Every operating point there is: all breakpoints are computed exactly.';
  const said = s.path.predicted[i] > 0;
  s.out.p.textContent = said ? percent(point.p) : '–';
  s.out.r.textContent = percent(point.r);
  s.out.f.textContent = percent(point.f);
  const more = s.path.predicted[i] - s.path.predicted[s.homeIndex];
  const signed = d => (d > 0 ? '+' : '−') + count(Math.abs(d));
  let note = `${count(s.path.correct[i])} right of ${count(s.path.predicted[i])} predicted${s.unit ? ' ' + s.unit : ''}${more ? ' (' + signed(more) + ')' : ''}, ${count(s.path.gold)} gold`;
  if (s.decisions.length && bias !== s.home) {
    let on = 0, off = 0;
    for (const intervals of s.decisions) {
      const was = isOn(intervals, s.home), is = isOn(intervals, bias);
      if (is && !was) on++; else if (was && !is) off++;
    }
    note += ` · here +${on} −${off}`;
  }
  s.out.note.textContent = note;
  s.range.setAttribute('aria-valuetext', `bias ${three(bias)}, precision ${said ? percent(point.p) : 'undefined'}, recall ${percent(point.r)}, F ${percent(point.f)}`);
  if (s.against) { s.against.dot.hidden = !said; s.against.dot.style.left = 100 * point.r + '%'; s.against.dot.style.top = 100 - 100 * point.p + '%'; }
}

function moved(s) {
  show(s);
  broadcastBias({ bias: s.bias, index: +s.range.value, beta: s.beta, run: s.run });
}

/** Tell the server where the knob was let go. The message is what stands here now, whatever happens before it leaves. */
function released(s) {
  clearTimeout(s.timer);
  s.held = false;
  const message = numbered(s, { bias: s.bias, index: +s.range.value, beta: s.beta, run: s.run });
  s.timer = setTimeout(() => s.send('point', message), 150);
}

function jump(s, index) {
  s.range.value = index;
  moved(s);
  released(s);
}

function number(name, colour, dashed) {
  const box = el('div');
  const title = el('div', 'name' + (dashed ? ' dashed' : ''), name);
  title.style.setProperty('--colour', colour);
  const value = el('div', 'value');
  box.append(title, value);
  return { box, title, value };
}

function build(s, data) {
  const strip = el('div', 'strip' + (data.large ? ' large' : ''));
  const knob = el('div', 'knob');
  s.out = { bias: el('div', 'bias'), step: el('div', 'step'), note: el('div', 'note') };
  knob.append(el('div', 'name', data.name + ' bias'), s.out.bias, s.out.step);

  const plot = el('div', 'plot'), curve = el('div', 'curve');
  const picture = svg('svg', { viewBox: '0 0 1000 100', preserveAspectRatio: 'none', role: 'img' });
  picture.append(Object.assign(svg('title'), { textContent: 'precision, recall and F at every bias' }));
  for (const y of data.large ? [0, 25, 50, 75, 100] : [0, 100]) {
    picture.append(svg('path', { class: 'grid', d: `M0 ${y}L1000 ${y}` }));
    if (data.large) { const tick = el('div', 'tick', String(100 - y)); tick.style.top = y + '%'; curve.append(tick); }
  }
  s.lines = {};
  for (const name of ['recall', 'precision', 'f']) { s.lines[name] = svg('path', { class: name }); picture.append(s.lines[name]); }
  s.cursor = el('div', 'cursor'); s.homeMark = el('div', 'home'); s.bestDot = el('div', 'best');
  curve.append(picture, s.homeMark, s.cursor, s.bestDot);
  s.range = el('input');
  Object.assign(s.range, { type: 'range', min: 0, max: Math.max(0, s.path.bias.length - 1), step: 1 });
  s.range.setAttribute('aria-label', data.name + ' bias');
  s.range.oninput = () => moved(s);
  s.range.onchange = () => released(s);
  s.range.onpointerdown = () => { s.held = true; };
  // Dragged away and back again there is no change, but the hand is off all the same.
  s.range.onpointerup = s.range.onpointercancel = () => { s.held = false; };
  s.range.onkeydown = event => { if (event.key === 'Escape') jump(s, s.homeIndex); if (event.key === 'Enter') jump(s, s.bestIndex); };
  plot.append(curve, s.range);

  const numbers = el('div', 'numbers');
  const p = number('P', 'var(--precision)'), r = number('R', 'var(--recall)', true), f = number('F', 'var(--f)');
  s.fName = f.title;
  Object.assign(s.out, { p: p.value, r: r.value, f: f.value });
  numbers.append(p.box, r.box, f.box, s.out.note);

  const controls = el('div', 'controls');
  const beta = el('select');
  beta.setAttribute('aria-label', 'beta of F: above 1 favours recall');
  for (const value of data.betas) beta.append(Object.assign(el('option', '', 'F' + value), { value }));
  beta.value = data.betas.includes(s.beta) ? s.beta : 1;
  beta.onchange = () => { s.beta = +beta.value; s.fName.textContent = 'F' + s.beta; curveOf(s); show(s); released(s); };
  const betaLabel = el('label', '', 'β');
  betaLabel.append(beta);
  const target = el('input');
  Object.assign(target, { type: 'number', min: 0, max: 100, step: 1, placeholder: '90' });
  target.setAttribute('aria-label', 'target precision in percent');
  target.onchange = () => {
    const index = target.value === '' ? null : indexForPrecision(s.path, +target.value / 100);
    target.setCustomValidity(index === null && target.value !== '' ? 'no operating point reaches this precision' : '');
    target.reportValidity();
    if (index !== null) jump(s, index);
  };
  const targetLabel = el('label', '', 'P ≥');
  targetLabel.append(target);
  const best = el('button', 'plain-button', 'best F');
  best.onclick = () => jump(s, s.bestIndex);
  const back = el('button', 'plain-button', 'reset');
  back.title = "back to the run's own bias";
  back.onclick = () => { s.home = s.chosenBias; s.homeIndex = indexAt(s.path, s.home); jump(s, s.homeIndex); };
  controls.append(betaLabel, targetLabel, best, back);

  strip.append(knob, plot, numbers, controls);
  s.against = null;
  if (data.large) {
    const against = el('div', 'against'), plane = svg('svg', { viewBox: '0 0 1000 100', preserveAspectRatio: 'none', role: 'img' });
    plane.append(Object.assign(svg('title'), { textContent: 'precision against recall' }));
    const line = svg('path'), dot = el('div', 'dot');
    plane.append(line);
    const right = el('div', 'axis', 'recall →'), up = el('div', 'axis', '↑ precision');
    right.style.cssText = 'right:0;bottom:-1.5em'; up.style.cssText = 'left:4px;top:-1.7em';
    against.append(plane, dot, right, up);
    s.against = { line, dot };
    strip.append(against);
  }
  s.root.replaceChildren(strip);
}

export default function ({ parentElement, data, setStateValue }) {
  const root = parentElement.querySelector('.root');
  const s = stateOf(root, () => ({ root, version: null, told: undefined, held: false, homeIndex: 0, home: 0 }));
  s.send = setStateValue; s.run = data.run; s.unit = data.unit; s.exact = data.exact; s.chosenBias = data.chosen;
  s.decisions = data.decisions;
  if (!data.n) {
    s.version = null;
    const box = el('div', 'strip');
    box.append(el('div', 'empty', data.empty));
    root.replaceChildren(box);
    return;
  }
  const built = s.version !== data.version;
  if (built || s.points !== data.points) {
    s.points = data.points; s.all = data.all;
    s.path = {
      bias: numbersFrom(data.bias, Float64Array), correct: numbersFrom(data.correct, Int32Array),
      found: numbersFrom(data.found, Int32Array), predicted: numbersFrom(data.predicted, Int32Array), gold: data.gold, first: data.first,
      until: data.until ? numbersFrom(data.until, Float64Array) : null,
    };
    if (built) {
      // Another run or corpus: a move of the old knob that has not been answered no longer matters.
      Object.assign(s, { version: data.version, beta: data.beta, held: false, told: undefined, sent: data.ack });
      clearTimeout(s.timer);
      build(s, data);
    } else {
      s.range.max = s.path.bias.length - 1; s.range.value = indexAt(s.path, s.bias);
      s.homeIndex = indexAt(s.path, s.home);
    }
    s.fName.textContent = 'F' + s.beta;
    curveOf(s);
  }
  // While the hand is on the knob, or a later move is under way, what the server says is old.
  const current = answered(s, data.ack) && !s.held;
  if (current && s.told !== data.value) {
    s.told = data.value; s.home = data.value; s.homeIndex = indexAt(s.path, data.value);
    const n = s.path.bias.length;
    s.homeMark.style.left = (n > 1 ? 100 * s.homeIndex / (n - 1) : 50) + '%';
    s.range.value = s.homeIndex;
  }
  show(s);
}
