// Mentions in a row; arrows above are before, below are after. Solid: holds. Red, dashed, !: breaks a constraint.
// ✓ and ✗: in gold or not. Grey dotted with ∅: gold has it, the decision does not.

const GAP = 34, NODE = 54, LEVEL = 40, PAD = 26, TITLE = 20;

/** Put overlapping arrows on different levels, short ones nearest to the row. */
function levels(arrows) {
  const order = [...arrows].sort((a, b) => Math.abs(a.head - a.tail) - Math.abs(b.head - b.tail));
  const rows = [];
  for (const arrow of order) {
    const low = Math.min(arrow.head, arrow.tail), high = Math.max(arrow.head, arrow.tail);
    let level = 0;
    while ((rows[level] || []).some(([a, b]) => low < b && a < high)) level += 1;
    (rows[level] = rows[level] || []).push([low, high]);
    arrow.level = level;
  }
  return rows.length;
}

function widthOf(node) {
  return Math.max(84, Math.min(190, 9 + 7.6 * Math.max(node.surface.length, 12)));
}

/** Every end of an arrow gets a place of its own on its node, in the order of where it goes. */
function ports(nodes, arrows) {
  const ends = nodes.map(() => []);
  for (const arrow of arrows) {
    ends[arrow.head].push({ arrow, other: arrow.tail, side: 'from' });
    ends[arrow.tail].push({ arrow, other: arrow.head, side: 'to' });
  }
  ends.forEach((list, n) => {
    // Left-going ends on the left; among those the far ones nearest to the middle, so that arrows do not cross.
    const rank = e => (e.other < n ? -1 : 1) * (1000 - Math.abs(e.other - n) * 10 - e.arrow.level);
    list.sort((a, b) => rank(a) - rank(b));
    list.forEach((e, k) => { e.arrow[e.side] = nodes[n].x + nodes[n].width * (k + 1) / (list.length + 1); });
  });
}

function path(arrow, row, up) {
  const y = up ? row - 14 - arrow.level * LEVEL - LEVEL / 2 : row + NODE + 14 + arrow.level * LEVEL + LEVEL / 2;
  const start = up ? row : row + NODE, sign = up ? 1 : -1;
  const way = arrow.to > arrow.from ? 1 : -1, r = Math.min(9, Math.abs(arrow.to - arrow.from) / 2);
  return {
    y,
    d: `M${arrow.from},${start} V${y + sign * r} Q${arrow.from},${y} ${arrow.from + way * r},${y} H${arrow.to - way * r} ` +
       `Q${arrow.to},${y} ${arrow.to},${y + sign * r} V${start - sign * 7}`,
    tip: `M${arrow.to - 4.5},${start - sign * 8} L${arrow.to + 4.5},${start - sign * 8} L${arrow.to},${start} Z`,
  };
}

function drawArrow(s, arrow, row, up) {
  const broken = arrow.violations.length > 0;
  const group = svg('g', { class: ['arrow', broken ? 'broken' : '', arrow.missed ? 'missed' : '', arrow.pinned ? 'pinned' : ''].join(' '), tabindex: '0', role: 'button' });
  const { d, tip, y } = path(arrow, row, up);
  group.append(svg('path', { d, class: 'reach' }), svg('path', { d, class: 'line' }), svg('path', { d: tip, class: 'tip' }));
  const middle = (arrow.from + arrow.to) / 2;
  const sign = arrow.missed ? '∅ ' : arrow.gold === true ? '✓ ' : arrow.gold === false ? '✗ ' : '';
  const label = svg('text', { x: middle, y: y - 5, class: 'label' + (arrow.gold === true ? ' right' : '') });
  if (arrow.pinned) {
    const pin = svg('tspan', { class: 'icon' });
    pin.textContent = 'keep';
    label.append(pin, ' ');
  }
  if (broken) {
    const mark = svg('tspan', { class: 'mark' });
    mark.textContent = s.data.broken + ' ';
    label.append(mark);
  }
  label.append(sign + visible(arrow.label));
  group.append(label);
  if (broken) {
    const name = svg('text', { x: middle, y: y + 14, class: 'reason' });
    const text = visible(arrow.violations[0]);
    name.textContent = text + (arrow.violations.length > 1 ? ` +${arrow.violations.length - 1}` : '');
    group.append(name);
  }
  const words = [
    `${s.data.nodes[arrow.head].surface} → ${arrow.label} → ${s.data.nodes[arrow.tail].surface}`,
    arrow.missed ? 'in gold, not decided' : `probability ${percent(arrow.weight)} %`,
    arrow.gold === true ? 'right' : arrow.gold === false ? 'not in gold' : '',
    ...arrow.violations.map(one => 'breaks: ' + one), arrow.pinned ? 'fixed by your pin' : '',
  ].filter(Boolean);
  const title = svg('title');
  title.textContent = visible(words.join('\n'));
  group.append(title);
  group.setAttribute('aria-label', visible(words.join(', ')));
  group.dataset.key = arrow.key;
  const choose = () => s.choose(arrow.key);
  group.onclick = choose;
  group.onkeydown = event => { if (event.key === 'Enter' || event.key === ' ') { choose(); event.preventDefault(); } };
  return group;
}

/** Draw what holds at this bias. While the knob moves the board only grows, so that nothing below it jumps. */
function draw(s, data, bias) {
  let x = PAD;
  const nodes = data.nodes.map(node => {
    const placed = { ...node, x, width: widthOf(node) };
    x += placed.width + GAP;
    return placed;
  });
  const width = x - GAP + PAD;
  const shown = arrow => isOn(arrow.on, bias);
  const before = data.before.filter(shown).map(arrow => ({ ...arrow })), after = data.after.filter(shown).map(arrow => ({ ...arrow }));
  const above = s.above = Math.max(s.above, levels(before)), below = s.below = Math.max(s.below, levels(after));
  ports(nodes, before);
  ports(nodes, after);
  const row = TITLE + above * LEVEL + 18;
  const height = row + NODE + below * LEVEL + 18 + TITLE;
  const board = el('div', 'board');
  board.style.width = width + 'px';
  board.style.height = height + 'px';
  const drawing = svg('svg', { width, height });
  s.arrows = [];
  for (const [list, up] of [[before, true], [after, false]]) {
    for (const arrow of list) {
      const group = drawArrow(s, arrow, row, up);
      s.arrows.push([arrow, group]);
      drawing.append(group);
    }
  }
  board.append(drawing);
  s.nodes = [];
  nodes.forEach(node => {
    const button = el('button', 'node' + (node.violations.length ? ' broken' : '') + (node.pinned ? ' pinned' : ''));
    button.style.left = node.x + 'px';
    button.style.top = row + 'px';
    button.style.width = node.width + 'px';
    button.dataset.key = node.key;
    const surface = el('span', 'surface');
    if (node.pinned) surface.append(icon('keep'));
    if (node.violations.length) surface.append(el('span', 'mark', data.broken + ' '));
    appendVisible(surface, node.surface);
    const type = el('span', 'type');
    button.append(surface, type);
    button.onclick = () => s.choose(node.key);
    s.nodes.push([node, button, type]);
    board.append(button);
  });
  for (const [text, place] of [[data.titles[0], 'top'], [data.titles[1], 'bottom']]) {
    const title = el('div', 'title ' + place, text);
    board.append(title);
  }
  const at = s.scroller ? s.scroller.scrollLeft : 0;
  s.scroller = el('div', 'scroller');
  s.scroller.append(board);
  s.root.replaceChildren(s.scroller);
  s.scroller.scrollLeft = at;
}

/** Which arrows hold at this bias: a new drawing is needed only when this changes. */
function holding(data, bias) {
  return [data.before, data.after].map(list => list.map(arrow => (isOn(arrow.on, bias) ? '1' : '0')).join('')).join('|');
}

function repaint(s, bias) {
  const now = holding(s.data, bias);
  if (s.drawn !== s.version + now) { s.drawn = s.version + now; draw(s, s.data, bias); mark(s); }
  for (const [node, button, type] of s.nodes) {
    const now = (node.after.find(([low, high]) => (low === null || bias >= low) && (high === null || bias < high)) || [null, null, node.before])[2];
    type.replaceChildren();
    if (now !== node.before) {
      const was = el('s', 'was');
      appendVisible(was, node.before);
      type.append(was, ' → ');
    }
    const name = el('span', 'now');
    appendVisible(name, now);
    type.append(name);
    if (node.gold !== null) type.append(el('span', node.gold === now ? 'right' : 'wrong', node.gold === now ? ' ✓' : ' ✗'));
    button.classList.toggle('changed', now !== node.before);
    const words = [node.surface, now !== node.before ? `${node.before}, decided ${now}` : now, node.gold === null ? '' : 'gold: ' + node.gold, ...node.violations.map(one => 'breaks: ' + one)];
    button.title = visible(words.filter(Boolean).join('\n'));
    button.setAttribute('aria-label', visible(words.filter(Boolean).join(', ')));
  }
}

function mark(s) {
  for (const [arrow, group] of s.arrows) group.classList.toggle('selected', arrow.key === s.selected);
  // A pair of which nothing is said has no arrow: its two mentions show that it is the one explained.
  const bare = s.selected === s.data.selected && !s.arrows.some(([arrow]) => arrow.key === s.selected);
  s.nodes.forEach(([node, button], at) => {
    button.classList.toggle('selected', node.key === s.selected);
    button.classList.toggle('end', bare && s.data.ends.includes(at));
  });
}

function step(s, by) {
  const keys = s.data.nodes.map(node => node.key);
  const at = keys.indexOf(s.selected);
  if (keys.length) s.choose(keys[Math.min(keys.length - 1, Math.max(0, at < 0 ? 0 : at + by))]);
}

export default function ({ parentElement, data, setStateValue }) {
  const root = parentElement.querySelector('.root');
  const s = stateOf(root, () => ({ root, version: null, selected: null, drawn: null, above: 1, below: 1 }));
  s.data = data;
  s.choose = key => { s.selected = key; mark(s); setStateValue('selected', numbered(s, { id: key })); };
  // While the server has not heard the last click, what it says is old.
  if (answered(s, data.ack)) s.selected = data.selected;
  if (s.version !== data.version) { s.version = data.version; s.above = s.below = 1; }
  repaint(s, data.bias);
  mark(s);
  root.onkeydown = event => {
    if (event.key === 'ArrowRight') { step(s, 1); event.preventDefault(); }
    if (event.key === 'ArrowLeft') { step(s, -1); event.preventDefault(); }
    if (event.key === 'Escape') s.choose('');
  };
  return onBias(s, detail => { if (detail.run === s.data.run) repaint(s, detail.bias); });
}
