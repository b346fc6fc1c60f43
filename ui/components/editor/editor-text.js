// The text with its marks. Only paragraphs whose content changed are drawn again, so long documents stay fluid.

const ROW = 6; // pixels from one underline to the next
const ARC_LABEL = 10; // size of the names of relations

const colourOf = (s, name) => {
  if (!s.colours.has(name)) s.colours.set(name, s.colours.size % 6);
  return `var(--c${s.colours.get(name)})`;
};
const numberOf = (s, cluster) => s.numbers.get(cluster);
const shade = (s, m) => colourOf(s, m.cluster !== null ? 'chain ' + m.cluster : 'type ' + (m.type ?? ''));

function saidBy(x) { return [x.score === null ? '' : percent(x.score) + ' %', x.by].filter(Boolean).join(' · '); }
function suggested(s, x) {
  const other = () => words(s, x.other[0], x.other[1]);
  return { coreference: () => '= ' + other(), relation: () => x.value + ' → ' + other(), span: () => 'mention' }[x.kind]?.() ?? x.value;
}

function chip(s, m, isOffer) {
  const node = el('span', 'chip');
  const parts = isOffer ? ['? ' + suggested(s, m), saidBy(m)] : [
    m.cluster !== null ? '#' + numberOf(s, m.cluster) : '', m.type ?? '', m.entity === s.data.nil ? 'NIL' : m.entity ?? '',
    m.comment ? '✎' : '', m.doubted ? '⚠ gold wrong' : '',
  ];
  appendVisible(node, parts.filter(Boolean).join(' · ') || 'mention');
  const key = isOffer ? m.key : m.id;
  node.style.setProperty('--colour', isOffer ? 'var(--declined)' : shade(s, m));
  node.classList.toggle('suggested', isOffer);
  node.classList.toggle('selected', s.selected === key);
  node.dataset.key = key;
  node.title = visible(node.textContent);
  node.onclick = event => {
    event.stopPropagation();
    s.page.focus();
    if (s.pick && !isOffer) confirmPick(s, key); else select(s, key);
  };
  if (!isOffer) {
    node.draggable = true;
    node.ondragstart = event => { event.dataTransfer.setData('text/plain', key); s.dragged = key; };
    node.ondragover = event => { if (s.dragged && s.dragged !== key) { event.preventDefault(); node.classList.add('target'); } };
    node.ondragleave = () => node.classList.remove('target');
    node.ondrop = event => {
      event.preventDefault();
      node.classList.remove('target');
      s.panel = { kind: 'drop', from: s.dragged, to: key };
      s.selected = s.dragged;
      s.dragged = null;
      draw(s);
    };
  }
  return node;
}

/** Mentions and suggestions by the paragraphs they lie in. */
function spread(s, items) {
  const found = s.paragraphs.map(() => []);
  for (const item of items) {
    for (let i = paragraphAt(s, item.start); i < found.length && s.paragraphs[i].from < item.end; i++) {
      if (item.end > s.paragraphs[i].from && item.start < s.paragraphs[i].to) found[i].push(item);
    }
  }
  return found;
}

/** The last paragraph that starts at or before this place. */
function paragraphAt(s, place) {
  let low = 0, high = s.paragraphs.length - 1;
  while (low < high) { const middle = (low + high + 1) >> 1; if (s.paragraphs[middle].from <= place) low = middle; else high = middle - 1; }
  return low;
}

function drawText(s) {
  const mentions = spread(s, ordered(s));
  const offers = spread(s, s.data.suggestions.filter(x => x.kind !== 'label'));
  s.paragraphs.forEach((p, i) => drawParagraph(s, p, mentions[i], offers[i]));
}

function drawParagraph(s, p, here, offers) {
  const r = range(s);
  const marked = r && r[0] < p.to && r[1] > p.from ? r : null;
  const mine = here.some(m => m.id === s.selected) || offers.some(x => x.key === s.selected) || marked ? s.selected : null;
  const numbers = here.map(m => m.cluster === null ? 0 : numberOf(s, m.cluster));
  const signature = JSON.stringify([here, offers, marked, mine, numbers]);
  if (p.signature === signature) return;
  p.signature = signature;
  const rowed = [];
  for (const m of [...here].sort((a, b) => (a.end - a.start) - (b.end - b.start))) {
    let row = 0;
    while (rowed.some(o => o.row === row && o.m.start < m.end && m.start < o.m.end)) row++;
    rowed.push({ m, row });
  }
  const rows = rowed.reduce((most, o) => Math.max(most, o.row + 1), 0);
  p.node.style.setProperty('--rows', rows);
  const inside = x => Math.max(p.from, Math.min(p.to, x));
  const edges = [...new Set([p.from, p.to, ...here.concat(offers).flatMap(m => [inside(m.start), inside(m.end)]), ...(marked || []).map(inside)])];
  edges.sort((a, b) => a - b);
  const nodes = [];
  for (let i = 0; i + 1 < edges.length; i++) {
    const [a, b] = [edges[i], edges[i + 1]];
    const covering = rowed.filter(o => o.m.start <= a && b <= o.m.end);
    if (mine && covering.some(o => o.m.id === mine && o.m.start === a)) nodes.push(handle(s, mine, 'start'));
    nodes.push(segment(s, a, b, covering, rows, offers, marked));
    if (mine && covering.some(o => o.m.id === mine && o.m.end === b)) nodes.push(handle(s, mine, 'end'));
    for (const o of covering.filter(o => o.m.end === b)) nodes.push(chip(s, o.m, false));
    for (const x of offers.filter(x => x.end === b)) nodes.push(chip(s, x, true));
  }
  p.node.replaceChildren(...nodes);
}

function segment(s, a, b, covering, rows, offers, marked) {
  const node = el('span', 'seg');
  node.dataset.start = a;
  node.dataset.end = b;
  appendVisible(node, words(s, a, b));
  node.style.backgroundImage = covering.map(o => `linear-gradient(${shade(s, o.m)},${shade(s, o.m)})`).join(',');
  node.style.backgroundPosition = covering.map(o => `0 calc(100% - ${(rows - 1 - o.row) * ROW}px)`).join(',');
  node.style.backgroundSize = covering.map(() => '100% 3px').join(',');
  if (offers.some(x => x.start <= a && b <= x.end)) node.classList.add('offered');
  if (marked && marked[0] <= a && b <= marked[1]) node.classList.add(s.selected ? 'selected' : 'cursor');
  if (covering.length) node.onclick = event => {
    if (s.justMarked) return;
    event.stopPropagation();
    const inner = [...covering].sort((x, y) => (x.m.end - x.m.start) - (y.m.end - y.m.start)).map(o => o.m.id);
    const next = inner[(inner.indexOf(s.selected) + 1) % inner.length];
    if (s.pick) confirmPick(s, next); else select(s, next);
  };
  return node;
}

/** An edge of the selected mention that can be dragged. */
function handle(s, id, side) {
  const node = el('span', `handle ${side}`);
  node.title = 'drag to change where the mention ' + (side === 'start' ? 'starts' : 'ends');
  node.onpointerdown = event => {
    event.preventDefault();
    event.stopPropagation();
    const m = s.view.mentions.get(id);
    if (!m) return;
    s.resizing = { id, side, from: [m.start, m.end] };
    s.page.setPointerCapture(event.pointerId);
  };
  return node;
}

function resize(s, event) {
  const at = placeAt(s, event.clientX, event.clientY);
  if (at === null) return;
  const { side, from } = s.resizing, units = event.altKey ? graphemes(s) : s.units;
  const unit = units.find(u => u[0] <= at && at < u[1]) ?? [at, at];
  // The edge nearest to the pointer counts.
  const edge = at - unit[0] < unit[1] - at ? unit[0] : unit[1];
  const [a, b] = side === 'start' ? [Math.min(edge, from[1] - 1), from[1]] : [from[0], Math.max(edge, from[0] + 1)];
  mark(s, a, b);
  drawText(s);
}

function resized(s) {
  const { id, from } = s.resizing, r = range(s);
  s.resizing = null;
  s.justMarked = true;
  if (r && (r[0] !== from[0] || r[1] !== from[1])) edit(s, { kind: 'SetSpan', id, start: r[0], end: r[1] });
  else draw(s);
}

const graphemes = s => s.graphemes ??= unitsOf(s.data, 'character');

/** Code-point offset under a point of the screen. */
function placeAt(s, x, y) {
  const root = s.page.getRootNode();
  const found = document.caretPositionFromPoint
    ? document.caretPositionFromPoint(x, y, { shadowRoots: root instanceof ShadowRoot ? [root] : [] })
    : (r => r && { offsetNode: r.startContainer, offset: r.startOffset })(document.caretRangeFromPoint(x, y));
  return found && s.page.contains(found.offsetNode) ? offsetAt(s, found.offsetNode, found.offset) : null;
}

/** Code-point offset of a place in the page's nodes. */
function offsetAt(s, container, offset) {
  const element = container instanceof Element ? container : container.parentElement;
  const segment = element.closest('.seg');
  if (segment) {
    let at = Number(segment.dataset.start);
    const children = [...segment.childNodes];
    for (const [i, node] of children.entries()) {
      if (container === segment ? i === offset : node === container || node.contains(container)) {
        return node === container && node.nodeType === Node.TEXT_NODE ? at + Array.from(node.data.slice(0, offset)).length : at;
      }
      at += node.nodeType === Node.TEXT_NODE ? Array.from(node.data).length : 1;
    }
    return at;
  }
  const label = element.closest('.chip, .handle');
  if (label) return endBefore(s, label);
  const paragraph = s.paragraphs.find(p => p.node === element);
  if (paragraph) return offset === 0 ? paragraph.from : endBefore(s, element.childNodes[offset - 1]);
  if (element !== s.page) return null;
  const next = s.paragraphs.find(p => p.node === element.childNodes[offset]);
  return next ? next.from : s.text.length;
}

function endBefore(s, node) {
  const paragraph = s.paragraphs.find(p => p.node.contains(node));
  while (node && !node.classList.contains('seg')) node = node.previousSibling;
  return node ? Number(node.dataset.end) : paragraph?.from ?? null;
}

/** What was marked with the mouse becomes the marked text; with Alt to the character, whatever the mode. */
function takeSelection(s, exact) {
  const root = s.page.getRootNode();
  const selection = root.getSelection ? root.getSelection() : getSelection();
  if (!selection || selection.isCollapsed || !selection.anchorNode) return;
  if (!s.page.contains(selection.anchorNode)) return;
  const beyond = s.page.compareDocumentPosition(selection.focusNode) & Node.DOCUMENT_POSITION_FOLLOWING ? s.text.length : 0;
  const ends = [
    offsetAt(s, selection.anchorNode, selection.anchorOffset),
    s.page.contains(selection.focusNode) ? offsetAt(s, selection.focusNode, selection.focusOffset) : beyond,
  ];
  if (ends.includes(null) || ends[0] === ends[1]) return;
  const found = snapped(s, Math.min(...ends), Math.max(...ends), exact ? graphemes(s) : s.units);
  selection.removeAllRanges();
  if (!found) return;
  mark(s, ...found);
  s.justMarked = true;
  s.selected = null;
  s.panel = null;
  draw(s);
}

function reveal(s) {
  if (!s.paragraphs.length || s.focus === null) return;
  const node = s.paragraphs[paragraphAt(s, s.focus[0])].node;
  const box = node.getBoundingClientRect(), frame = s.page.getBoundingClientRect();
  if (box.top < frame.top + 8 || box.bottom > frame.bottom - 8) s.page.scrollTop += box.top - frame.top - frame.height / 3;
}

/** Moves the text down where an arc of its first lines would end above the page; by how much it moved. It never moves
 * back: text that jumps with every selection cannot be read. */
function makeRoom(s, top) {
  const missing = Math.ceil(Math.max(0, 2 - top));
  if (!missing || !Number.isFinite(missing)) return 0;
  s.page.style.paddingTop = parseFloat(getComputedStyle(s.page).paddingTop) + missing + 'px';
  return missing;
}

/** Arcs of the selected mention, or of all while there are few. */
function drawArcs(s) {
  s.arcs.replaceChildren();
  const all = chosen(s) ? relationsOf(s, s.selected) : s.view.relations.size <= 40 ? [...s.view.relations.values()] : [];
  if (!all.length) return;
  const base = s.page.getBoundingClientRect();
  const place = id => {
    const node = s.page.querySelector(`[data-key="${CSS.escape(id)}"]`);
    if (!node) return null;
    const box = node.getBoundingClientRect();
    return { x: box.left - base.left + box.width / 2, y: box.top - base.top + s.page.scrollTop };
  };
  const drawn = [];
  for (const r of all) {
    const a = place(r.head), b = place(r.tail);
    if (!a || !b) continue;
    const lift = 14 + Math.min(30, Math.abs(a.x - b.x) / 10);
    drawn.push({ r, a, b, lift, label: Math.min(a.y, b.y) - lift * .75 - 3 });
  }
  const down = makeRoom(s, Math.min(...drawn.map(one => one.label)) - ARC_LABEL);
  s.arcs.style.height = s.page.scrollHeight + 'px';
  for (const { r, a, b, lift, label: at } of drawn) {
    a.y += down;
    b.y += down;
    const path = `M${a.x},${a.y} C${a.x},${a.y - lift} ${b.x},${b.y - lift} ${b.x},${b.y}`;
    s.arcs.append(svg('path', { d: path, fill: 'none', stroke: 'var(--muted)', 'stroke-width': 1.2 }));
    s.arcs.append(svg('circle', { cx: b.x, cy: b.y, r: 2.5, fill: 'var(--muted)' }));
    const label = svg('text', { x: (a.x + b.x) / 2, y: at + down, 'text-anchor': 'middle', 'font-size': ARC_LABEL, class: 'arc-label' });
    label.textContent = visible(r.type);
    s.arcs.append(label);
  }
}
