// Mentions in a row; arrows above are before, below are after. Arrows and types follow the knob.
import { isOn, onBias } from '../shared/bias.js';
import { appendVisible, el, icon, svg, visible, visibleEl } from '../shared/dom.js';
import { drawn } from '../shared/drawn.js';
import { outboxOf } from '../shared/messages.js';
import { saveButtons } from '../shared/saving.js';
import { stateOf } from '../shared/state.js';
import { stepFrom } from '../shared/stepping.js';
import { arrowNode } from './arrow.js';
import { heights, levels, placed, ports } from './layout.js';

function nodeButton(s, node, row) {
  const states = (node.violations.length ? ' broken' : '') + (node.pinned ? ' pinned' : '');
  const button = el('button', 'node' + states);
  const size = { width: node.width + 'px', height: row.bottom - row.top + 'px' };
  Object.assign(button.style, { left: node.x + 'px', top: row.top + 'px', ...size });
  button.dataset.key = node.key;
  const surface = el('span', 'surface one-line');
  if (node.pinned) surface.append(icon('keep'));
  if (node.violations.length) surface.append(el('span', 'mark', s.data.broken + ' '));
  appendVisible(surface, node.surface);
  button.append(surface, el('span', 'type one-line'));
  button.onclick = () => choose(s, node.key);
  return button;
}

/** Draw what holds at this bias. While the knob moves the board only grows, so that nothing below it jumps. */
function draw(s, data, bias) {
  const held = list => list.filter(arrow => isOn(arrow.on, bias)).map(arrow => ({ ...arrow }));
  const before = held(data.before);
  const after = held(data.after);
  s.above = Math.max(s.above, levels(before));
  s.below = Math.max(s.below, levels(after));
  const { nodes, width, tall, close } = placed(data.nodes, s.room);
  ports(nodes, before);
  ports(nodes, after);
  const { row, height } = heights(s.above, s.below, tall);
  const board = el('div', close ? 'board close' : 'board');
  Object.assign(board.style, { width: width + 'px', height: height + 'px' });
  const node = (arrow, up) => arrowNode(data, arrow, row, up, () => choose(s, arrow.key));
  s.arrows = [...before.map(arrow => [arrow, node(arrow, true)]), ...after.map(arrow => [arrow, node(arrow, false)])];
  const drawing = svg('svg', { width, height });
  drawing.append(...s.arrows.map(([, group]) => group));
  s.nodes = nodes.map(one => [one, nodeButton(s, one, row)]);
  board.append(drawing, ...s.nodes.map(([, button]) => button));
  board.append(el('div', 'title top', data.titles[0]), el('div', 'title bottom', data.titles[1]));
  const at = s.scroller ? s.scroller.scrollLeft : 0;
  s.scroller = el('div', 'scroller');
  s.scroller.append(board);
  // The page has a drawing for papers as SVG; this is the picture as it is on screen.
  s.root.replaceChildren(
    s.scroller,
    saveButtons(() => drawn(board), 'joint', ['PNG']),
  );
  s.scroller.scrollLeft = at;
}

/** Which arrows hold at this bias: a new drawing is needed only when this changes. */
function holding(data, bias) {
  const list = arrows => arrows.map(arrow => (isOn(arrow.on, bias) ? '1' : '0')).join('');
  return `${list(data.before)}|${list(data.after)}`;
}

/** The type that is decided for a mention at this bias. */
function typeAt(node, bias) {
  const decided = node.after.find(([low, high]) => isOn([[low, high]], bias));
  return decided ? decided[2] : node.before;
}

function repaintNode(node, button, now) {
  const changed = now !== node.before;
  const type = button.querySelector('.type');
  type.replaceChildren();
  if (changed) type.append(visibleEl('s', 'was', node.before), ' → ');
  type.append(visibleEl('span', 'now', now));
  if (node.gold !== null) {
    const right = node.gold === now;
    type.append(el('span', right ? 'right' : 'wrong', right ? ' ✓' : ' ✗'));
  }
  button.classList.toggle('changed', changed);
  const words = [
    node.surface,
    changed ? `${node.before}, decided ${now}` : now,
    node.gold === null ? '' : 'gold: ' + node.gold,
    ...node.violations.map(one => 'breaks: ' + one),
  ].filter(Boolean);
  button.title = visible(words.join('\n'));
  button.setAttribute('aria-label', visible(words.join(', ')));
}

function repaint(s, bias) {
  s.at = bias;
  s.room = s.root.clientWidth;
  const shown = `${s.version}${holding(s.data, bias)} ${s.room}`;
  if (s.drawn !== shown) {
    s.drawn = shown;
    draw(s, s.data, bias);
    mark(s);
  }
  for (const [node, button] of s.nodes) repaintNode(node, button, typeAt(node, bias));
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

function choose(s, key) {
  s.selected = key;
  mark(s);
  s.outbox.latest('select', { id: key });
}

function step(s, by) {
  const keys = s.data.nodes.map(node => node.key);
  const at = keys.indexOf(s.selected);
  if (keys.length) choose(s, stepFrom(keys, at, by));
}

function keyed(s, event) {
  const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  if (by) {
    step(s, by);
    event.preventDefault();
  }
  if (event.key === 'Escape') choose(s, '');
}

export default function graph({ parentElement, data, setStateValue }) {
  const first = { version: null, selected: null, drawn: null, above: 1, below: 1 };
  const s = stateOf(parentElement, root => ({ root, ...first }));
  s.data = data;
  outboxOf(s, data, setStateValue);
  // While the server has not heard the last click, what it says is old.
  if (s.outbox.settled) s.selected = data.selected;
  if (s.version !== data.version) Object.assign(s, { version: data.version, above: 1, below: 1 });
  repaint(s, data.bias);
  mark(s);
  s.root.onkeydown = event => keyed(s, event);
  s.watch ??= new ResizeObserver(() => {
    if (s.root.clientWidth !== s.room) repaint(s, s.at);
  });
  s.watch.observe(s.root);
  return onBias(s, detail => {
    if (detail.run === s.data.run) repaint(s, detail.bias);
  });
}
