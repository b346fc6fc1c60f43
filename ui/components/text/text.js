// A document's text with spans that may nest and cross: one bar per span under the text, outline gold, fill predicted.
// Offsets are code points. Rebuilt only when the document or its spans change; the knob repaints what it flips.
import { onBias } from '../shared/bias.js';
import { appendVisible, el } from '../shared/dom.js';
import { outboxOf } from '../shared/messages.js';
import { stateOf } from '../shared/state.js';
import { byLength, paint, predictedAt, rowsOf } from './bars.js';
import { chipFor, describe, refreshChip } from './chips.js';

function addSegment(s, line, segment) {
  for (const span of segment.spans) {
    if (!s.bySpan.has(span.key)) s.bySpan.set(span.key, []);
    s.bySpan.get(span.key).push(segment);
  }
  s.segments.push(segment);
  line.append(segment.node);
}

/** A stretch of text that all of `spans` cover. */
function wordsSegment(s, a, b, spans, rows) {
  const node = el('span', 'seg');
  node.dataset.start = a;
  node.dataset.end = b;
  appendVisible(node, s.text.slice(a, b).join(''));
  if (spans.some(span => span.pinned)) node.classList.add('pinned');
  const segment = { node, start: a, end: b, spans, rows };
  node.onclick = event => {
    event.stopPropagation();
    clickSegment(s, segment);
  };
  return segment;
}

/** The chips of the spans that end here. Spans that go on keep their bars under the chips. */
function appendChips(s, line, ending, goingOn, rows) {
  if (!ending.length) return;
  const chips = ending.sort((x, y) => x.row - y.row).map(span => chipFor(s, span, key => select(s, key, true)));
  if (!goingOn.length) {
    line.append(...chips);
    return;
  }
  const node = el('span', 'seg');
  node.append(...chips);
  addSegment(s, line, { node, start: null, end: null, spans: goingOn, rows });
}

function lineOf(s, from, to, here, labelled) {
  const line = el('div', 'line');
  line.dir = 'auto';
  const rows = rowsOf(here);
  line.style.setProperty('--rows', rows);
  const inside = here.flatMap(span => [Math.max(from, span.start), Math.min(to, span.end)]);
  const edges = [...new Set([from, to, ...inside])].sort((a, b) => a - b);
  for (let i = 0; i + 1 < edges.length; i++) {
    const [a, b] = [edges[i], edges[i + 1]];
    const covering = here.filter(span => span.start <= a && b <= span.end);
    if (!covering.length) {
      appendVisible(line, s.text.slice(a, b).join(''));
      continue;
    }
    addSegment(s, line, wordsSegment(s, a, b, covering, rows));
    if (!labelled) continue;
    const [ending, goingOn] = [covering.filter(span => span.end === b), covering.filter(span => span.end > b)];
    appendChips(s, line, ending, goingOn, rows);
  }
  return line;
}

/** One node per paragraph. Spans come in the order of their starts; `open` are those that reach into the paragraph. */
function paragraphsOf(s, data) {
  let next = 0;
  let open = [];
  return data.paragraphs.map(([from, to], index) => {
    while (next < s.spans.length && s.spans[next].start < to) open.push(s.spans[next++]);
    open = open.filter(span => span.end > from);
    const here = open.filter(span => span.start < to);
    const paragraph = el('div', 'paragraph');
    paragraph.append(el('div', 'number', data.numbered ? index + 1 : ''));
    paragraph.append(lineOf(s, from, to, here, data.labels !== 'none'));
    return paragraph;
  });
}

function build(s, data) {
  Object.assign(s, { segments: [], bySpan: new Map(), chips: new Map(), text: Array.from(data.text) });
  s.spans = data.spans.map(span => ({ ...span })).sort((a, b) => a.start - b.start || b.end - a.end);
  s.byKey = new Map(s.spans.map(span => [span.key, span]));
  s.body = el('div', 'text');
  s.body.tabIndex = 0;
  s.body.setAttribute('role', 'group');
  s.body.setAttribute('aria-label', 'document text; arrow keys move between spans');
  if (data.height) s.body.style.setProperty('--most', data.height + 'px');
  if (!s.text.length) s.body.append(el('div', 'empty', 'This document has no text.'));
  s.body.append(...paragraphsOf(s, data));
  s.segments.forEach(segment => paint(segment, s.bias));
  s.live = el('div', 'live');
  s.live.setAttribute('aria-live', 'polite');
  const frame = el('div', 'frame');
  frame.append(s.body, s.live);
  s.root.replaceChildren(frame);
  s.body.onkeydown = event => keyed(s, event);
  s.body.onclick = () => select(s, null, true);
}

/** Innermost span first; clicking again goes outwards. */
function clickSegment(s, segment) {
  const order = [...segment.spans].sort(byLength);
  const at = order.findIndex(span => span.key === s.selected);
  select(s, order[(at + 1) % order.length].key, true);
}

function mark(s, key, on) {
  for (const segment of s.bySpan.get(key) || []) segment.node.classList.toggle('selected', on);
  s.chips.get(key)?.classList.toggle('selected', on);
}

function select(s, key, tell) {
  if (key === s.selected) return;
  if (s.selected !== null) mark(s, s.selected, false);
  s.selected = key;
  if (key !== null) {
    mark(s, key, true);
    const span = s.byKey.get(key);
    const words = span ? [s.text.slice(span.start, span.end).join(''), describe(span, s.bias, s.judged).words] : [];
    s.live.textContent = words.join(' ');
  }
  if (tell) s.outbox.latest('select', { id: key }, 120);
}

function keyed(s, event) {
  if (event.key === 'Escape') select(s, null, true);
  const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
  const shown = s.spans.filter(span => span.gold || predictedAt(span, s.bias));
  if (!step || !shown.length) return;
  event.preventDefault();
  const at = shown.findIndex(span => span.key === s.selected);
  const from = at >= 0 ? at : step > 0 ? -1 : shown.length;
  const { key } = shown[Math.max(0, Math.min(shown.length - 1, from + step))];
  select(s, key, true);
  s.bySpan.get(key)?.[0]?.node.scrollIntoView({ block: 'nearest' });
}

/** The knob moved: what flips is painted again. */
function turn(s, bias) {
  const before = s.bias;
  s.bias = bias;
  const touched = new Set();
  for (const span of s.spans) {
    if (!span.on || predictedAt(span, before) === predictedAt(span, bias)) continue;
    refreshChip(s, span);
    for (const segment of s.bySpan.get(span.key) || []) touched.add(segment);
  }
  touched.forEach(segment => paint(segment, bias));
}

/** Another document or other spans; in the same document what was scrolled to and focused stays so. */
function rebuild(s, data) {
  const top = s.doc === data.doc && s.body ? s.body.scrollTop : 0;
  const focused = s.body && s.root.getRootNode().activeElement === s.body;
  const { version, doc, judged, bias } = data;
  Object.assign(s, { version, doc, judged, bias, selected: null, chosen: undefined });
  build(s, data);
  s.body.scrollTop = top;
  if (focused) s.body.focus({ preventScroll: true });
}

function reveal(s) {
  const box = s.bySpan.get(s.selected)?.[0]?.node.getBoundingClientRect();
  const frame = s.body.getBoundingClientRect();
  if (!box || (box.top >= frame.top && box.bottom <= frame.bottom)) return;
  s.body.scrollTop += box.top - frame.top - frame.height / 3;
}

export default function text({ parentElement, data, setStateValue }) {
  const first = { version: null, selected: null, chosen: undefined, bias: null };
  const s = stateOf(parentElement, root => ({ root, ...first }));
  outboxOf(s, data, setStateValue);
  if (s.version !== data.version) rebuild(s, data);
  else if (data.bias !== s.bias && data.bias !== null) turn(s, data.bias);
  // The server's choice counts when it changed; while it has not heard the last click, the page is ahead of it.
  if (s.outbox.settled && s.chosen !== data.selected) {
    s.chosen = data.selected;
    select(s, s.byKey.has(data.selected) ? data.selected : null, false);
    reveal(s);
  }
  return onBias(s, detail => {
    if (!detail.run || !data.run || detail.run === data.run) turn(s, detail.bias);
  });
}
