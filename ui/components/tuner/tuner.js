// Tune: one chart of the whole corpus. The path of operating points is here, so moving costs no message; one is sent on
// release. A window shows the useful part; the strip below shows where it lies in the whole.
import { broadcastBias } from '../shared/bias.js';
import { el } from '../shared/dom.js';
import { outboxOf } from '../shared/messages.js';
import { count, percent, three } from '../shared/numbers.js';
import { saveButtons } from '../shared/saving.js';
import { stateOf } from '../shared/state.js';
import { bestIndex, indexAt, insideOf, pathFrom, pointAt } from '../strip/path.js';
import { aimBox, fillAims, reach } from './aims.js';
import { chartBox, drawWhole, drawWindow, markAt, overviewBox, place } from './drawing.js';
import { chosen, legendBox, noteAt, numbersBox, scoreAt } from './parts.js';
import { AXES, holding, placesOn, stepAt, translated, wholeOf } from './view.js';

const standing = s => ({ bias: s.bias, index: s.index, beta: s.beta, run: s.run });

function show(s) {
  const point = pointAt(s.path, s.index, s.beta);
  const said = s.path.predicted[s.index] > 0;
  const x = markAt(s, s.index, s.bias);
  if (x < s.window[0] || x > s.window[1]) {
    s.window = holding(s.window, x, s.whole);
    drawWindow(s);
  }
  place(s.cursor, x, s.window);
  place(s.smallCursor, x, s.whole);
  s.range.value = s.index;
  const name = s.path.first !== null && s.index === 0 ? 'off' : three(s.bias);
  s.out.bias.textContent = name;
  s.out.step.textContent = `step ${count(s.index + 1)} of ${count(s.path.bias.length)}${s.exact ? '' : ' · a grid'}`;
  s.out.p.textContent = said ? percent(point.p) : '–';
  s.out.r.textContent = percent(point.r);
  s.out.f.textContent = percent(point.f);
  s.out.score.textContent = scoreAt(s);
  s.out.note.textContent = noteAt(s);
  const scores = `precision ${said ? percent(point.p) : 'undefined'}, recall ${percent(point.r)}, F ${percent(point.f)}`;
  s.range.setAttribute('aria-valuetext', `bias ${name}, ${scores}`);
}

function standAt(s, index, bias) {
  s.index = Math.max(0, Math.min(s.path.bias.length - 1, index));
  s.bias = bias ?? (s.index === s.homeIndex ? s.home : insideOf(s.path, s.index));
  show(s);
  broadcastBias(standing(s));
}

/** Tell the server where the cursor was let go. */
function released(s) {
  s.held = false;
  s.outbox.latest('release', standing(s), 150);
}

function jump(s, index, bias) {
  standAt(s, index, bias);
  released(s);
}

function aimAt(s) {
  const found = reach(s);
  s.unreached.textContent = found === null ? 'no operating point reaches this' : '';
  if (found !== null) jump(s, indexAt(s.path, found.bias), found.bias);
}

function setWindow(s, window) {
  const [first, last] = s.whole;
  const least = (last - first) / 1e6;
  const width = Math.max(least, Math.min(last - first, window[1] - window[0]));
  const from = Math.max(first, Math.min(last - width, window[0]));
  s.window = [from, from + width];
  drawWindow(s);
  show(s);
}

function zoom(s, factor, around) {
  const [low, high] = s.window;
  setWindow(s, [around - (around - low) * factor, around + (high - around) * factor]);
}

function setAxis(s, axis) {
  s.places = placesOn(s.path, axis, s.data.whole);
  for (const one of s.others) one.places = placesOn(one.path, axis, one.whole);
  s.whole = wholeOf(s.places, s.data.whole);
  s.window = translated(s.path, s.places, s.data.whole, s.data.window);
  s.axisName.textContent = axis === 'bias' ? `${s.data.name} bias →` : AXES[axis].name + ' →';
  drawWhole(s);
  setWindow(s, s.window);
}

const xOf = (s, box, event) => {
  const { left, width } = box.getBoundingClientRect();
  const window = box === s.chart ? s.window : s.whole;
  return window[0] + ((event.clientX - left) / width) * (window[1] - window[0]);
};

function dragged(node, { down, move, up }) {
  node.onpointerdown = event => {
    if (event.button) return;
    node.setPointerCapture(event.pointerId);
    const from = down(event);
    node.onpointermove = later => move(later, from);
    node.onpointerup = node.onpointercancel = () => {
      node.onpointermove = node.onpointerup = node.onpointercancel = null;
      up();
    };
  };
}

function bindChart(s) {
  const go = event => standAt(s, stepAt(s.places, xOf(s, s.chart, event)));
  dragged(s.chart, {
    down: event => {
      s.held = true;
      s.range.focus({ preventScroll: true });
      go(event);
      event.preventDefault();
    },
    move: go,
    up: () => released(s),
  });
  s.chart.ondblclick = () => setAxis(s, s.places.axis);
  s.chart.addEventListener(
    'wheel',
    event => {
      // Until somebody works here, the wheel moves the page.
      if (s.root.getRootNode().activeElement !== s.range) return;
      event.preventDefault();
      const way = Math.sign(event.deltaY || event.deltaX);
      if (event.ctrlKey) zoom(s, way > 0 ? 1.25 : 0.8, xOf(s, s.chart, event));
      else jump(s, s.index + way * (event.shiftKey ? 10 : 1) * (s.places.rising ? 1 : -1));
    },
    { passive: false },
  );
}

function bindOverview(s, box) {
  dragged(box, {
    down: event => {
      const x = xOf(s, box, event);
      const [low, high] = s.window;
      const near = 0.012 * (s.whole[1] - s.whole[0]);
      if (Math.abs(x - low) < near) return { x, window: [low, high], ends: [1, 0] };
      if (Math.abs(x - high) < near) return { x, window: [low, high], ends: [0, 1] };
      const half = (high - low) / 2;
      const window = x < low || x > high ? [x - half, x + half] : [low, high];
      setWindow(s, window);
      return { x, window, ends: [1, 1] };
    },
    move: (event, { x, window, ends }) => {
      const by = xOf(s, box, event) - x;
      const moved = window.map((end, k) => end + by * ends[k]);
      if (moved[1] > moved[0]) setWindow(s, moved);
    },
    up: () => {},
  });
}

function keyed(s, event) {
  const page = Math.max(1, Math.round((stepAt(s.places, s.window[1]) - stepAt(s.places, s.window[0])) / 20));
  const steps = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1, PageUp: page, PageDown: -page };
  const times = event.shiftKey ? 10 : 1;
  const way = s.places.rising ? 1 : -1;
  if (event.key in steps) jump(s, s.index + way * times * steps[event.key]);
  else if (event.key === 'Home') jump(s, stepAt(s.places, s.window[0]));
  else if (event.key === 'End') jump(s, stepAt(s.places, s.window[1]));
  else if (event.key === 'Escape') jump(s, s.homeIndex, s.home);
  else if (event.key === 'Enter') aimAt(s);
  else if (event.key === '+' || event.key === '-') zoom(s, event.key === '+' ? 0.5 : 2, s.places.values[s.index]);
  else return;
  event.preventDefault();
}

function controlsBox(s, data) {
  const box = el('div', 'controls');
  const betas = Object.fromEntries(data.betas.map(beta => [beta, 'F' + beta]));
  const beta = chosen(betas, s.beta, 'beta of F: above 1 favours recall', value => {
    s.beta = +value;
    retold(s);
    released(s);
  });
  const axes = Object.fromEntries(Object.keys(AXES).map(axis => [axis, AXES[axis].name]));
  const axis = chosen(axes, 'bias', 'what the axis shows', value => setAxis(s, value));
  const back = el('button', 'plain-button', 'back to the kept bias');
  back.onclick = () => {
    s.home = s.chosenBias;
    s.homeIndex = indexAt(s.path, s.home);
    jump(s, s.homeIndex, s.home);
  };
  box.append(
    aimBox(s, () => aimAt(s)),
    el('span', 'muted', 'axis'),
    axis,
    el('span', 'muted', 'β'),
    beta,
    back,
  );
  box.append(saveButtons(() => s.picture, 'curve'));
  return box;
}

/** What changes with beta. */
function retold(s) {
  s.fName.textContent = s.data.names[2] + s.beta;
  s.bestIndex = bestIndex(s.path, s.beta);
  fillAims(s);
  drawWhole(s);
  drawWindow(s);
  show(s);
}

function rangeOf(s, name) {
  const range = el('input', 'range');
  Object.assign(range, { type: 'range', min: 0, max: Math.max(0, s.path.bias.length - 1), step: 1 });
  range.setAttribute('aria-label', name + ' bias');
  range.oninput = () => standAt(s, +range.value);
  range.onchange = () => released(s);
  range.onkeydown = event => keyed(s, event);
  return range;
}

function build(s, data) {
  s.out = { bias: el('div', 'bias'), step: el('div', 'step'), note: el('div', 'note') };
  s.out.note.setAttribute('aria-live', 'polite');
  const knob = el('div', 'knob');
  knob.append(el('div', 'name', data.name + ' bias'), s.out.bias, s.out.step);
  knob.title = data.help;
  const head = el('div', 'head');
  head.append(knob, numbersBox(s, data), s.out.note);
  s.range = rangeOf(s, data.name);
  s.chart = chartBox(s);
  s.axisName = el('div', 'axis-name');
  const overview = overviewBox(s);
  const box = el('div', 'tuner');
  box.append(head, s.range, s.chart, s.axisName, overview, legendBox(data), controlsBox(s, data));
  s.root.replaceChildren(box);
  bindChart(s);
  bindOverview(s, overview);
}

function take(s, data) {
  if (s.version === data.version && s.points === data.points) return;
  const fresh = s.version !== data.version;
  const others = data.others.map(one => ({ ...one, path: pathFrom(one) }));
  Object.assign(s, { version: data.version, points: data.points, path: pathFrom(data), data, others });
  Object.assign(s, { scores: data.scores, score: data.scores[0] ?? null, band: data.band });
  if (fresh) Object.assign(s, { beta: data.beta, held: false, told: undefined, index: 0, bias: data.value });
  if (fresh) s.outbox.forget();
  s.bestIndex = bestIndex(s.path, s.beta);
  s.home = data.chosen;
  s.homeIndex = indexAt(s.path, s.home);
  build(s, data);
  s.scoreBox.title.textContent = s.score?.name ?? '';
  s.scoreBox.box.hidden = !s.score;
  s.fName.textContent = data.names[2] + s.beta;
  s.index = indexAt(s.path, s.bias);
  setAxis(s, 'bias');
}

export default function tuner({ parentElement, data, setStateValue }) {
  const s = stateOf(parentElement, root => ({ root, version: null, held: false }));
  outboxOf(s, data, setStateValue);
  Object.assign(s, { run: data.run, unit: data.unit, exact: data.exact, chosenBias: data.chosen });
  take(s, data);
  // While the hand is on the chart, or a later move is under way, what the server says is old.
  if (s.outbox.settled && !s.held && s.told !== data.value) {
    s.told = data.value;
    s.bias = data.value;
    s.index = indexAt(s.path, data.value);
  }
  show(s);
}
