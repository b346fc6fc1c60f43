// Relations as arcs over the text.
import { svg, visible } from '../shared/dom.js';
import { chosen, relationsOf } from './model.js';

const MANY = 40; // relations of a document that are drawn all at once
const LABEL = 12; // size of the names of relations

/** Moves the text down where an arc of its first lines would end above the page; by how much it moved. It never moves
 *  back: text that jumps with every selection cannot be read. */
function makeRoom(s, top) {
  const missing = Math.ceil(Math.max(0, 2 - top));
  if (!missing || !Number.isFinite(missing)) return 0;
  s.page.style.paddingTop = parseFloat(getComputedStyle(s.page).paddingTop) + missing + 'px';
  return missing;
}

/** The middle of the upper edge of a mention's chip. */
function anchorOf(s, id) {
  const node = s.page.querySelector(`[data-key="${CSS.escape(id)}"]`);
  if (!node) return null;
  const base = s.page.getBoundingClientRect();
  const box = node.getBoundingClientRect();
  return { x: box.left - base.left + box.width / 2, y: box.top - base.top + s.page.scrollTop };
}

/** Where an arc goes and how high its name stands; null where an end is not drawn. */
function placed(s, r) {
  const a = anchorOf(s, r.head);
  const b = anchorOf(s, r.tail);
  if (!a || !b) return null;
  const lift = 14 + Math.min(30, Math.abs(a.x - b.x) / 10);
  const symmetric = s.data.relationTypes.find(t => t.type === r.type)?.symmetric ?? false;
  return { type: r.type, symmetric, a, b, lift, label: Math.min(a.y, b.y) - lift * 0.75 - 3 };
}

/** What an end of an arc looks like: an arrow where the relation leads to, a dot where it has no direction. */
function endNode({ x }, y, symmetric) {
  if (symmetric) return svg('circle', { cx: x, cy: y, r: 2.5, class: 'arc-end' });
  return svg('polygon', { points: `${x - 4},${y - 8} ${x + 4},${y - 8} ${x},${y}`, class: 'arc-end' });
}

function arcNodes({ type, symmetric, a, b, lift, label }, down) {
  const [ya, yb] = [a.y + down, b.y + down];
  const d = `M${a.x},${ya} C${a.x},${ya - lift} ${b.x},${yb - lift} ${b.x},${yb}`;
  const name = svg('text', { x: (a.x + b.x) / 2, y: label + down, 'font-size': LABEL, class: 'arc-label over-lines' });
  name.textContent = visible(symmetric ? type : a.x <= b.x ? `${type} →` : `← ${type}`);
  const ends = [endNode(b, yb, symmetric), ...(symmetric ? [endNode(a, ya, true)] : [])];
  return [svg('path', { d, class: 'arc' }), ...ends, name];
}

/** Arcs of the selected mention, or of all while there are few. */
export function drawArcs(s) {
  s.arcs.replaceChildren();
  const few = s.view.relations.size <= MANY ? [...s.view.relations.values()] : [];
  const drawn = (chosen(s) ? relationsOf(s, s.selected) : few).map(r => placed(s, r)).filter(Boolean);
  if (!drawn.length) return;
  const down = makeRoom(s, Math.min(...drawn.map(one => one.label)) - LABEL);
  s.arcs.style.height = s.page.scrollHeight + 'px';
  s.arcs.append(...drawn.flatMap(one => arcNodes(one, down)));
}
