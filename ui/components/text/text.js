// A document's text with spans that may nest and cross: one bar per span under the text, outline gold, fill predicted.
// Offsets are code points. Rebuilt only when the document or its spans change; the knob repaints what it flips.

const LONGEST = 30; // characters of a chip; the whole text is its tooltip
const ROW = 6; // px per row of bars; the same as --row

/** Rows for spans so that no two that overlap share one; short spans lie next to the text. */
function rowsOf(spans) {
  const taken = [];
  for (const span of [...spans].sort((a, b) => (a.end - a.start) - (b.end - b.start) || a.start - b.start)) {
    let row = 0;
    while ((taken[row] || []).some(other => other.start < span.end && span.start < other.end)) row++;
    (taken[row] = taken[row] || []).push(span);
    span.row = row;
  }
  return taken.length;
}

function paint(segment, bias) {
  const layers = [];
  for (const span of segment.spans) {
    const colour = `var(--c${(span.colour + 6) % 6})`;
    const y = `calc(100% - ${(segment.rows - 1 - span.row) * ROW}px)`;
    const yTop = `calc(100% - ${(segment.rows - 1 - span.row) * ROW + 4}px)`;
    if (span.gold) {
      const line = `linear-gradient(${colour},${colour})`;
      layers.push([line, `0 ${y}`, '100% 1px'], [line, `0 ${yTop}`, '100% 1px']);
      if (span.start === segment.start) layers.push([line, `left ${y}`, '1.5px 5px']);
      if (span.end === segment.end) layers.push([line, `right ${y}`, '1.5px 5px']);
    }
    if (predictedAt(span, bias)) {
      const strength = Math.round(100 * (0.3 + 0.6 * Math.max(0, Math.min(1, span.weight))));
      const fill = `color-mix(in srgb, ${colour} ${strength}%, transparent)`;
      layers.push([`linear-gradient(${fill},${fill})`, `0 ${y}`, '100% 5px']);
    }
  }
  segment.node.style.backgroundImage = layers.map(l => l[0]).join(',');
  segment.node.style.backgroundPosition = layers.map(l => l[1]).join(',');
  segment.node.style.backgroundSize = layers.map(l => l[2]).join(',');
}

function predictedAt(span, bias) {
  return span.on && bias !== null && bias !== undefined ? isOn(span.on, bias) : span.predicted;
}

function describe(span, bias, judged) {
  const predicted = predictedAt(span, bias);
  const sign = !judged ? '' : span.gold && predicted ? '✓' : predicted ? '✗' : span.gold ? '∅' : '';
  const number = span.number === null ? '' : String(span.number);
  return { predicted, words: [number, span.label, sign].filter(Boolean).join(' ') };
}

function chipFor(s, span) {
  const chip = el('span', 'chip');
  chip.style.setProperty('--colour', `var(--c${(span.colour + 6) % 6})`);
  chip.onclick = event => { event.stopPropagation(); select(s, span.key, true); };
  s.chips.set(span.key, chip);
  refreshChip(s, span);
  return chip;
}

function refreshChip(s, span) {
  const chip = s.chips.get(span.key);
  if (!chip) return;
  const { predicted, words } = describe(span, s.bias, s.judged);
  chip.textContent = '';
  if (span.pinned) chip.append(icon('keep'));
  const letters = Array.from(words);
  appendVisible(chip, letters.length > LONGEST ? letters.slice(0, LONGEST - 3).join('') + '…' + letters.slice(-2).join('') : words);
  chip.title = visible(words);
  // A declined decision (offered, but off at this bias, and not gold) leaves no chip.
  chip.classList.toggle('hidden', !words || (!predicted && !span.gold));
  chip.classList.toggle('declined', !predicted);
}

function build(s, data) {
  s.segments = []; s.bySpan = new Map(); s.chips = new Map(); s.lines = [];
  s.spans = data.spans.map(span => ({ ...span })).sort((a, b) => a.start - b.start || b.end - a.end);
  s.byKey = new Map(s.spans.map(span => [span.key, span]));
  const characters = Array.from(data.text);
  const body = el('div', 'text');
  body.tabIndex = 0;
  body.setAttribute('role', 'listbox');
  body.setAttribute('aria-label', 'document text; arrow keys move between spans');
  if (data.height) body.style.setProperty('--most', data.height + 'px');
  if (!characters.length) body.append(el('div', 'empty', data.empty || 'This document has no text.'));
  let next = 0;
  let open = [];
  data.paragraphs.forEach(([from, to], index) => {
    const paragraph = el('div', 'paragraph');
    paragraph.append(el('div', 'number', data.numbered ? index + 1 : ''));
    const line = el('div', 'line');
    line.dir = 'auto';
    while (next < s.spans.length && s.spans[next].start < to) open.push(s.spans[next++]);
    open = open.filter(span => span.end > from);
    const here = open.filter(span => span.start < to);
    const rows = rowsOf(here);
    line.style.setProperty('--rows', rows);
    const edges = [...new Set([from, to, ...here.flatMap(span => [Math.max(from, span.start), Math.min(to, span.end)])])].sort((a, b) => a - b);
    for (let i = 0; i + 1 < edges.length; i++) {
      const [a, b] = [edges[i], edges[i + 1]];
      const covering = here.filter(span => span.start <= a && b <= span.end);
      const words = characters.slice(a, b).join('');
      if (!covering.length) { appendVisible(line, words); continue; }
      const node = el('span', 'seg');
      node.dataset.start = a; node.dataset.end = b;
      appendVisible(node, words);
      const segment = { node, start: a, end: b, spans: covering, rows };
      node.onclick = event => { event.stopPropagation(); clickSegment(s, segment); };
      node.ondblclick = () => { if (s.selected !== null) s.send('opened', s.selected); };
      for (const span of covering) {
        if (!s.bySpan.has(span.key)) s.bySpan.set(span.key, []);
        s.bySpan.get(span.key).push(segment);
        if (span.pinned) node.classList.add('pinned');
      }
      s.segments.push(segment);
      line.append(node);
      if (data.labels !== 'none') appendChips(s, line, covering.filter(span => span.end === b), covering.filter(span => span.end > b), b, rows);
    }
    paragraph.append(line);
    body.append(paragraph);
  });
  s.segments.forEach(segment => paint(segment, s.bias));
  s.live = el('div', 'live');
  s.live.setAttribute('aria-live', 'polite');
  const frame = el('div', 'frame');
  frame.append(body, s.live);
  s.root.replaceChildren(frame);
  s.body = body;
  body.onkeydown = event => keyed(s, event);
  body.onclick = () => select(s, null, true);
}

/** The chips of the spans that end here. Spans that go on keep their bars under the chips. */
function appendChips(s, line, ending, goingOn, at, rows) {
  if (!ending.length) return;
  const chips = ending.sort((x, y) => x.row - y.row).map(span => chipFor(s, span));
  if (!goingOn.length) { line.append(...chips); return; }
  const node = el('span', 'seg');
  node.append(...chips);
  const segment = { node, start: null, end: null, spans: goingOn, rows };
  for (const span of goingOn) s.bySpan.get(span.key).push(segment);
  s.segments.push(segment);
  line.append(node);
}

/** Innermost span first; clicking again goes outwards. */
function clickSegment(s, segment) {
  const order = [...segment.spans].sort((a, b) => (a.end - a.start) - (b.end - b.start));
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
    s.live.textContent = span ? s.text.slice(span.start, span.end).join('') + ' ' + describe(span, s.bias, s.judged).words : '';
  }
  if (tell) {
    // Held arrow keys tell the server only where they stop.
    const message = numbered(s, { id: key });
    clearTimeout(s.timer);
    s.timer = setTimeout(() => s.send('selected', message), 120);
  }
}

function keyed(s, event) {
  const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
  if (step) {
    const visible = s.spans.filter(span => span.gold || predictedAt(span, s.bias));
    if (!visible.length) return;
    event.preventDefault();
    const at = visible.findIndex(span => span.key === s.selected);
    const to = at < 0 ? (step > 0 ? 0 : visible.length - 1) : Math.max(0, Math.min(visible.length - 1, at + step));
    select(s, visible[to].key, true);
    s.bySpan.get(visible[to].key)?.[0]?.node.scrollIntoView({ block: 'nearest' });
  } else if (event.key === 'Escape') select(s, null, true);
  else if (event.key === 'Enter' && s.selected !== null) s.send('opened', s.selected);
}

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

export default function ({ parentElement, data, setStateValue }) {
  const root = parentElement.querySelector('.root');
  const s = stateOf(root, () => ({ root, version: null, selected: null, chosen: undefined, bias: null, live: null }));
  s.send = setStateValue;
  if (s.version !== data.version) {
    const top = s.doc === data.doc && s.body ? s.body.scrollTop : 0;
    const focused = s.body && s.root.getRootNode().activeElement === s.body;
    s.version = data.version; s.doc = data.doc; s.judged = data.judged; s.bias = data.bias;
    s.text = Array.from(data.text); s.paragraphs = data.paragraphs;
    s.selected = null; s.chosen = undefined;
    build(s, data);
    s.body.scrollTop = top;
    if (focused) s.body.focus({ preventScroll: true });
  } else if (data.bias !== s.bias && data.bias !== null) turn(s, data.bias);
  // The server's choice counts when it changed; while it has not heard the last click, the page is ahead of it.
  if (answered(s, data.ack) && s.chosen !== data.selected) {
    s.chosen = data.selected;
    select(s, s.byKey.has(data.selected) ? data.selected : null, false);
    if (s.selected !== null) {
      const node = s.bySpan.get(s.selected)?.[0]?.node;
      const box = node?.getBoundingClientRect(), frame = s.body.getBoundingClientRect();
      if (box && (box.top < frame.top || box.bottom > frame.bottom)) s.body.scrollTop += box.top - frame.top - frame.height / 3;
    }
  }
  return onBias(s, detail => { if (!detail.run || !data.run || detail.run === data.run) turn(s, detail.bias); });
}
