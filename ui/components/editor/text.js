// The text with its marks. Only paragraphs whose content changed are drawn again, so long documents stay fluid.
import { appendVisible, el } from '../shared/dom.js';
import { confirmPick, select } from './actions.js';
import { mentionChip, numberOf, shade, suggestionChip } from './chips.js';
import { isAsked, isDoubted, ordered, range, threadOn, words } from './model.js';
import { paragraphAt } from './sight.js';

const ROW = 6; // pixels from one underline to the next

const byLength = (a, b) => a.end - a.start - (b.end - b.start);

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

export function drawText(s) {
  const mentions = spread(s, ordered(s));
  const offers = spread(
    s,
    s.data.suggestions.filter(x => x.kind !== 'label'),
  );
  s.paragraphs.forEach((p, i) => drawParagraph(s, p, mentions[i], offers[i]));
}

/** A row of underlines for each mention: those that overlap get different ones, short ones lie next to the text. */
function rowed(mentions) {
  const found = [];
  for (const m of [...mentions].sort(byLength)) {
    let row = 0;
    while (found.some(o => o.row === row && o.m.start < m.end && m.start < o.m.end)) row++;
    found.push({ m, row });
  }
  return found;
}

/** A mention or a suggestion as text, written once: neither is ever changed, only replaced. */
const texts = new WeakMap();
function textOf(item) {
  if (!texts.has(item)) texts.set(item, JSON.stringify(item));
  return texts.get(item);
}

/** Everything that a paragraph's look depends on. */
function signatureOf(s, here, offers, marked, mine) {
  const said = here.map(m => [
    m.cluster === null ? 0 : numberOf(s, m.cluster),
    threadOn(s, m.id).length,
    isAsked(s, m.id),
    isDoubted(s, m.id),
    shade(s, m),
  ]);
  return [...here.map(textOf), ...offers.map(textOf), JSON.stringify([said, marked, mine])].join();
}

function drawParagraph(s, p, here, offers) {
  const r = range(s);
  const marked = r && r[0] < p.to && r[1] > p.from ? r : null;
  const holds = here.some(m => m.id === s.selected) || offers.some(x => x.key === s.selected);
  const mine = holds || marked ? s.selected : null;
  const signature = signatureOf(s, here, offers, marked, mine);
  if (p.signature === signature) return;
  p.signature = signature;
  const lines = rowed(here);
  const rows = lines.reduce((most, o) => Math.max(most, o.row + 1), 0);
  p.node.style.setProperty('--rows', rows);
  const inside = x => Math.max(p.from, Math.min(p.to, x));
  const ends = [...here, ...offers].flatMap(m => [m.start, m.end, ...(m.pieces ?? []).flat()]);
  const edges = [...new Set([p.from, p.to, ...[...ends, ...(marked || [])].map(inside)])].sort((a, b) => a - b);
  const nodes = [];
  for (let i = 0; i + 1 < edges.length; i++) {
    const [a, b] = [edges[i], edges[i + 1]];
    const covering = lines.filter(o => o.m.start <= a && b <= o.m.end);
    const chosen = mine && covering.find(o => o.m.id === mine)?.m;
    if (chosen && chosen.start === a) nodes.push(handle(s, mine, 'start'));
    nodes.push(segment(s, a, b, { covering, rows, offers, marked }));
    if (chosen && chosen.end === b) nodes.push(handle(s, mine, 'end'));
    nodes.push(...covering.filter(o => o.m.end === b).map(o => mentionChip(s, o.m)));
    nodes.push(...offers.filter(x => x.end === b).map(x => suggestionChip(s, x)));
  }
  p.node.replaceChildren(...nodes);
}

/** Whether a stretch of a mention lies between its pieces. */
const isGap = (m, a, b) => m.pieces.length > 0 && !m.pieces.some(piece => piece[0] <= a && b <= piece[1]);

/** An underline; between the pieces of a mention only dots. */
const lineOf = (colour, gap) =>
  gap ? `repeating-linear-gradient(90deg,${colour} 0 2px,transparent 2px 7px)` : `linear-gradient(${colour},${colour})`;

function segment(s, a, b, { covering, rows, offers, marked }) {
  const node = el('span', 'seg');
  node.dataset.start = a;
  node.dataset.end = b;
  appendVisible(node, words(s, a, b));
  node.style.backgroundImage = covering.map(o => lineOf(shade(s, o.m), isGap(o.m, a, b))).join(',');
  node.style.backgroundPosition = covering.map(o => `0 calc(100% - ${(rows - 1 - o.row) * ROW}px)`).join(',');
  node.style.backgroundSize = covering.map(() => '100% 3px').join(',');
  if (offers.some(x => x.start <= a && b <= x.end)) node.classList.add('offered');
  if (marked && marked[0] <= a && b <= marked[1]) node.classList.add(s.selected ? 'selected' : 'cursor');
  if (covering.length) {
    const inner = covering.map(o => o.m).sort(byLength);
    node.onclick = event => clicked(s, event, inner);
  }
  return node;
}

/** The innermost mention first; clicking again goes outwards. */
function clicked(s, event, mentions) {
  if (s.justMarked) return;
  event.stopPropagation();
  const ids = mentions.map(m => m.id);
  const next = ids[(ids.indexOf(s.selected) + 1) % ids.length];
  if (s.pick) confirmPick(s, next);
  else select(s, next);
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
