// The nodes of the lattice: a column per token, a block per span, a button per entity. What they look like at the
// moment is painted by lattice.js.
import { appendVisible, el, icon, visible, visibleEl } from '../shared/dom.js';
import { count, percent } from '../shared/numbers.js';
import { drawn } from '../shared/drawn.js';
import { overview } from '../shared/overview.js';
import { saveButtons } from '../shared/saving.js';
import { linesOf, widthsOf } from './lines.js';

const FOLDED = 3; // entities shown per span until it is unfolded
const MAPPED = 8; // spans from which on the lattice has a line of all of them
const SHARES = [0, 0.001, 0.01, 0.05, 0.2];

export const overlap = (a, b) => a.first < b.last && b.first < a.last;

/** Rows for blocks: short spans lie next to the text, and no two blocks of a row share a token. */
function rowsFor(blocks) {
  const rows = [];
  for (const block of [...blocks].sort((a, b) => a.last - a.first - (b.last - b.first) || a.first - b.first)) {
    let row = rows.findIndex(taken => !taken.some(other => overlap(other, block)));
    if (row < 0) row = rows.push([]) - 1;
    rows[row].push(block);
    block.row = row;
  }
  return rows.length;
}

/** Whether choosing it finds a gold mention although its span is another one. */
const onlyCounts = c => c.golds.length > 0 && !c.exact.length;

function button(s, c, acts) {
  const node = el('button', 'candidate' + (c.exact.length ? ' gold' : c.golds.length ? ' counts' : ''));
  node.dataset.id = c.id;
  node.style.setProperty('--p', c.marginal);
  const name = el('span', 'name one-line');
  if (c.pinned) name.append(icon(c.pinned === 'on' ? 'keep' : 'block'));
  appendVisible(name, c.entity);
  if (!c.known) name.append(el('span', 'guess', '?'));
  node.append(name, el('span', 'p', percent(c.marginal)), el('span', 'sign'));
  node.onclick = () => acts.select(c);
  node.onkeydown = event => acts.key(c, event);
  s.nodes.set(c.id, node);
  return node;
}

/** Whether a candidate is seen without unfolding: the likeliest, and all that something can be told about. */
function stands(s, c, rank) {
  return rank < FOLDED || c.on.length > 0 || c.golds.length > 0 || c.pinned || String(c.id) === s.selected;
}

function blockNode(s, block, acts) {
  const box = el('div', 'block');
  box.append(visibleEl('div', 'surface one-line', block.surface));
  const unfolded = s.unfolded.has(block.key);
  const all = s.owned.get(block.key);
  const shown = unfolded || all.length <= FOLDED + 1 ? all : all.filter((c, rank) => stands(s, c, rank));
  box.append(...shown.map(c => button(s, c, acts)));
  if (unfolded || shown.length < all.length) {
    const more = el('button', 'more', unfolded ? 'fewer' : `+ ${all.length - shown.length} more`);
    more.onclick = () => acts.fold(block.key);
    box.append(more);
  }
  return box;
}

/** Whether something can be told about a span: a likely candidate, one that is chosen now, gold, a pin. */
function tells(s, block) {
  const told = c =>
    c.marginal >= s.share || s.isChosen(c) || c.golds.length > 0 || c.pinned || String(c.id) === s.selected;
  return block.candidates.some(told);
}

function place(node, first, last, row) {
  node.style.gridColumn = `${first + 1} / ${last + 1}`;
  node.style.gridRow = String(row);
  return node;
}

function goldNode(gold) {
  const node = visibleEl('div', 'gold-row one-line', gold.entity + (gold.reachable ? '' : ' ∅ no candidate'));
  node.append(el('span', 'sign'));
  node.title = visible('gold: ' + gold.entity);
  return node;
}

function legend(s) {
  const words = [
    'filled share: probability',
    'solid: chosen',
    'dashed: blocked',
    'hatched: excluded by the selected one',
  ];
  if (s.judged) words.push('green: gold', '✓ right', '✗ wrong', '∅ missed');
  if (s.all.some(c => c.pinned === 'off')) words.push('struck out: you forbade it');
  if (s.judged && s.all.some(onlyCounts)) words.push('thin green: would count, overlaps gold');
  if (s.all.some(c => !c.known)) words.push('?: guessed title, not in the knowledge base');
  return el('div', 'hint', words.join(' · ') + ' · arrows move, p pins, f forbids, u frees, Esc clears');
}

/** From which probability on a span is drawn, and how many are not. */
function shareBox(s, hidden, acts) {
  const box = el('div', 'shares');
  const select = el('select');
  for (const share of SHARES) {
    const text = share ? `of ${100 * share} % or more` : 'all';
    select.append(Object.assign(el('option', '', text), { value: share }));
  }
  select.value = s.share;
  select.setAttribute('aria-label', 'spans that are drawn, by the probability of their likeliest candidate');
  select.onchange = () => acts.share(+select.value);
  box.append('spans ', select, hidden ? ` ${count(hidden)} less likely ones are folded away` : '');
  return box;
}

/** Which spans are in the box now. */
export function showFrame(s) {
  if (!s.map) return;
  const { top, bottom } = s.scroller.getBoundingClientRect();
  const seen = s.boxes.flatMap((box, i) => {
    const where = box.getBoundingClientRect();
    return where.bottom > top && where.top < bottom ? [i] : [];
  });
  if (seen.length) s.map.frame(seen[0], seen.at(-1) - seen[0] + 1);
}

/** The line of all spans: where the chosen ones are, and what is wrong with them. */
function mapOf(s, blocks, acts) {
  if (blocks.length < MAPPED) return null;
  const items = blocks.map(({ key, surface }) => ({ key, surface, state: 'plain' }));
  return overview(items, key => acts.go(key));
}

/** Why there is nothing to see, where there is nothing. */
function emptyText(data) {
  if (!data.tokens.length) return 'This document has no text.';
  return data.blocks.length ? '' : 'No part of this text is a name that the lexicon knows.';
}

/** One line of the text with the spans above it and gold below it. */
function lineNode(s, data, blocks, [from, to], acts) {
  const own = blocks.filter(b => b.first >= from && b.last <= to);
  const height = rowsFor(own);
  const grid = el('div', 'grid');
  grid.style.gridTemplateColumns = s.widths
    .slice(from, to)
    .map(width => `${Math.round(width)}px`)
    .join(' ');
  for (const b of own) {
    const box = place(blockNode(s, b, acts), b.first - from, b.last - from, height - b.row);
    s.boxes[b.at] = box;
    grid.append(box);
  }
  for (let i = from; i < to; i++) {
    s.tokens[i] = place(visibleEl('div', 'token', data.tokens[i]), i - from, i - from + 1, height + 1);
    grid.append(s.tokens[i]);
  }
  data.gold.forEach((gold, n) => {
    if (gold.first < from || gold.first >= to) return;
    s.golds[n] = place(goldNode(gold), gold.first - from, Math.min(gold.last, to) - from, height + 2);
    grid.append(s.golds[n]);
  });
  return grid;
}

/** `acts`: what is done when a candidate is selected, gets a key, its block is folded, or another share is chosen. */
export function build(s, data, acts) {
  s.data = data;
  s.nodes = new Map();
  s.all = data.blocks.flatMap(b => b.candidates.map(c => ({ ...c, block: b.key, first: b.first, last: b.last })));
  s.tokens = [];
  s.golds = [];
  const blocks = data.blocks.filter(block => tells(s, block));
  const keeps = [...blocks, ...data.gold];
  s.width = s.root.clientWidth;
  blocks.forEach((block, at) => Object.assign(block, { at }));
  s.blocks = blocks;
  s.owned = Map.groupBy(s.all, c => c.block);
  s.boxes = [];
  s.scroller = el('div', 'scroll');
  const empty = emptyText(data);
  if (empty) s.scroller.append(el('div', 'empty', empty));
  s.widths = widthsOf(data.tokens, keeps);
  const lines = linesOf(data.tokens, keeps, s.widths, Math.max(240, s.width - 60));
  s.scroller.append(...lines.map(line => lineNode(s, data, blocks, line, acts)));
  s.scroller.onscroll = () => showFrame(s);
  s.frame = el('div', 'frame');
  s.frame.append(s.scroller);
  s.watch?.disconnect();
  s.watch = new ResizeObserver(() => (Math.abs(s.root.clientWidth - s.width) > 8 ? acts.again() : showFrame(s)));
  s.watch.observe(s.scroller);
  s.map = mapOf(s, blocks, acts);
  const shares = shareBox(s, data.blocks.length - blocks.length, acts);
  shares.append(saveButtons(() => drawn(s.scroller), 'lattice'));
  s.root.replaceChildren(...(s.map ? [s.map.root] : []), s.frame, shares, legend(s));
}
