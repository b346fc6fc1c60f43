// The knob: the whole path of operating points is here, so moving costs no message; one is sent on release.
import { broadcastBias, isOn } from '../shared/bias.js';
import { el } from '../shared/dom.js';
import { outboxOf } from '../shared/messages.js';
import { count, percent, three } from '../shared/numbers.js';
import { stateOf } from '../shared/state.js';
import { curveBox, drawCurves, shareOf } from './curve.js';
import { indexAt, indexForPrecision, insideOf, pathFrom, pointAt } from './path.js';

function stepTitle(s) {
  if (!s.exact) return 'Search is approximate here: these are the points of a grid.';
  if (!s.path.until) return 'Every operating point there is: all breakpoints are computed exactly.';
  return `${count(s.path.bias.length)} of ${count(s.all)} operating points, spread evenly; each number is exact.`;
}

const signed = d => (d > 0 ? '+' : '−') + count(Math.abs(d));

/** What is predicted at step i, and what flips on screen. */
function noteAt(s, i, bias) {
  const { predicted, correct, gold } = s.path;
  const more = predicted[i] - predicted[s.homeIndex];
  const all = `${count(correct[i])} right of ${count(predicted[i])} predicted${s.unit ? ' ' + s.unit : ''}`;
  const note = `${all}${more ? ` (${signed(more)})` : ''}, ${count(gold)} gold`;
  if (!s.decisions.length || bias === s.home) return note;
  const flips = s.decisions.map(intervals => isOn(intervals, bias) - isOn(intervals, s.home));
  const flipped = way => flips.filter(flip => flip === way).length;
  return `${note} · here +${flipped(1)} −${flipped(-1)}`;
}

/** The main score at the nearest bias at which it was computed. */
function scoreAt(s) {
  if (!s.score) return '';
  const { bias, values } = s.score;
  const near = bias.reduce((at, x, k) => (Math.abs(x - s.bias) < Math.abs(bias[at] - s.bias) ? k : at), 0);
  return (bias[near] === s.bias ? '' : '≈ ') + percent(values[near]);
}

function show(s) {
  const i = +s.range.value;
  const n = s.path.bias.length;
  const point = pointAt(s.path, i, s.beta);
  const said = s.path.predicted[i] > 0;
  s.bias = i === s.homeIndex ? s.home : insideOf(s.path, i);
  s.cursor.style.left = shareOf(i, n) + '%';
  s.out.bias.textContent = s.path.first !== null && i === 0 ? 'off' : three(s.bias);
  s.out.bias.title = s.path.first !== null && i === 0 ? 'nothing is declined' : '';
  s.out.step.textContent = `step ${count(i + 1)} of ${count(n)}${s.exact ? '' : ' · grid'}`;
  s.out.step.title = stepTitle(s);
  s.out.p.textContent = said ? percent(point.p) : '–';
  s.out.r.textContent = percent(point.r);
  s.out.f.textContent = percent(point.f);
  s.out.score.textContent = scoreAt(s);
  s.out.note.textContent = noteAt(s, i, s.bias);
  const scores = `precision ${said ? percent(point.p) : 'undefined'}, recall ${percent(point.r)}, F ${percent(point.f)}`;
  s.range.setAttribute('aria-valuetext', `bias ${three(s.bias)}, ${scores}`);
}

const standing = s => ({ bias: s.bias, index: +s.range.value, beta: s.beta, run: s.run });

function moved(s) {
  show(s);
  broadcastBias(standing(s));
}

/** Tell the server where the knob was let go: what stands here now, whatever happens before the message leaves. */
function released(s) {
  s.held = false;
  s.outbox.latest('release', standing(s), 150);
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

function numbersBox(s, names) {
  const box = el('div', 'numbers');
  const p = number(names[0], 'var(--precision)');
  const r = number(names[1], 'var(--recall)', true);
  const f = number(names[2], 'var(--f)');
  const score = number(s.score?.name ?? '', 'transparent');
  s.fName = f.title;
  Object.assign(s.out, { p: p.value, r: r.value, f: f.value, score: score.value });
  box.append(p.box, r.box, f.box, ...(s.score ? [score.box] : []), s.out.note);
  return box;
}

function rangeOf(s, name) {
  const range = el('input');
  Object.assign(range, { type: 'range', min: 0, max: Math.max(0, s.path.bias.length - 1), step: 1 });
  range.setAttribute('aria-label', name + ' bias');
  range.oninput = () => moved(s);
  range.onchange = () => released(s);
  range.onpointerdown = () => {
    s.held = true;
  };
  // Dragged away and back again there is no change, but the hand is off all the same.
  range.onpointerup = range.onpointercancel = () => {
    s.held = false;
  };
  range.onkeydown = event => {
    if (event.key === 'Escape') jump(s, s.homeIndex);
    if (event.key === 'Enter') jump(s, s.bestIndex);
  };
  return range;
}

function labelled(text, input, name) {
  input.setAttribute('aria-label', name);
  const label = el('label', '', text);
  label.append(input);
  return label;
}

function betaBox(s, betas) {
  const beta = el('select');
  for (const value of betas) beta.append(Object.assign(el('option', '', 'F' + value), { value }));
  beta.value = betas.includes(s.beta) ? s.beta : 1;
  beta.onchange = () => {
    s.beta = +beta.value;
    s.fName.textContent = s.names[2] + s.beta;
    drawCurves(s);
    show(s);
    released(s);
  };
  return labelled('β', beta, 'beta of F: above 1 favours recall');
}

function targetBox(s) {
  const target = el('input');
  Object.assign(target, { type: 'number', min: 0, max: 100, step: 1, placeholder: '90' });
  target.onchange = () => {
    const index = target.value === '' ? null : indexForPrecision(s.path, +target.value / 100);
    const missed = index === null && target.value !== '';
    target.setCustomValidity(missed ? 'no operating point reaches this precision' : '');
    target.reportValidity();
    if (index !== null) jump(s, index);
  };
  return labelled('P ≥', target, 'target precision in percent');
}

function controlsBox(s, betas) {
  const box = el('div', 'controls');
  const best = el('button', 'plain-button', 'best F');
  best.onclick = () => jump(s, s.bestIndex);
  const back = el('button', 'plain-button', 'reset');
  back.title = "back to the run's own bias";
  back.onclick = () => {
    s.home = s.chosenBias;
    s.homeIndex = indexAt(s.path, s.home);
    jump(s, s.homeIndex);
  };
  box.append(betaBox(s, betas), targetBox(s), best, back);
  return box;
}

function build(s, data) {
  s.out = { bias: el('div', 'bias'), step: el('div', 'step'), note: el('div', 'note') };
  const knob = el('div', 'knob');
  knob.append(el('div', 'name', data.name + ' bias'), s.out.bias, s.out.step);
  knob.title = data.help;
  const plot = el('div', 'plot');
  s.range = rangeOf(s, data.name);
  s.range.title = data.help;
  plot.append(curveBox(s), s.range);
  const box = el('div', 'strip');
  box.append(knob, plot, numbersBox(s, data.names), controlsBox(s, data.betas));
  s.root.replaceChildren(box);
}

function showEmpty(s, text) {
  s.version = null;
  const box = el('div', 'strip');
  box.append(el('div', 'empty', text));
  s.root.replaceChildren(box);
}

/** Take the points of the path, where they are others than before. */
function takePath(s, data) {
  const built = s.version !== data.version || s.score?.name !== data.score?.name;
  if (!built && s.points === data.points) return;
  Object.assign(s, { points: data.points, all: data.all, path: pathFrom(data), names: data.names, score: data.score });
  if (built) {
    // Another run or corpus: a move of the old knob that has not been answered no longer matters.
    Object.assign(s, { version: data.version, beta: data.beta, held: false, told: undefined });
    s.outbox.forget();
    build(s, data);
  } else {
    s.range.max = s.path.bias.length - 1;
    s.range.value = indexAt(s.path, s.bias);
    s.homeIndex = indexAt(s.path, s.home);
  }
  s.fName.textContent = s.names[2] + s.beta;
  drawCurves(s);
}

export default function strip({ parentElement, data, setStateValue }) {
  const first = { version: null, told: undefined, held: false, homeIndex: 0, home: 0 };
  const s = stateOf(parentElement, root => ({ root, ...first }));
  outboxOf(s, data, setStateValue);
  const { run, unit, exact, chosen, decisions } = data;
  Object.assign(s, { run, unit, exact, chosenBias: chosen, decisions });
  if (!data.n) {
    showEmpty(s, data.empty);
    return;
  }
  takePath(s, data);
  // While the hand is on the knob, or a later move is under way, what the server says is old.
  if (s.outbox.settled && !s.held && s.told !== data.value) {
    s.told = data.value;
    s.home = data.value;
    s.homeIndex = indexAt(s.path, data.value);
    s.homeMark.style.left = shareOf(s.homeIndex, s.path.bias.length) + '%';
    s.range.value = s.homeIndex;
  }
  show(s);
}
