// The nodes of the lattice: a column per token, a block per span, a button per entity. What they look like at the
// moment is painted by lattice.js.
import { appendVisible, el, icon, visible, visibleEl } from '../shared/dom.js';
import { percent } from '../shared/numbers.js';

const FOLDED = 3; // entities shown per span until it is unfolded

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
  const all = s.all.filter(c => c.block === block.key);
  const shown = unfolded || all.length <= FOLDED + 1 ? all : all.filter((c, rank) => stands(s, c, rank));
  box.append(...shown.map(c => button(s, c, acts)));
  if (unfolded || shown.length < all.length) {
    const more = el('button', 'more', unfolded ? 'fewer' : `+ ${all.length - shown.length} more`);
    more.onclick = () => acts.fold(block.key);
    box.append(more);
  }
  return box;
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
  if (s.judged) words.push('green: gold');
  if (s.judged && s.all.some(onlyCounts)) words.push('thin green: would count, overlaps gold');
  if (s.all.some(c => !c.known)) words.push('?: guessed title, not in the knowledge base');
  return el('div', 'hint', words.join(' · ') + ' · arrows move, p pins, f forbids, u frees, Esc clears');
}

/** Fades at the edges say that there is more to scroll to, also where scrollbars are hidden. */
export function showEdges(s) {
  const { scrollLeft, clientWidth, scrollWidth } = s.scroller;
  s.frame.classList.toggle('more-left', scrollLeft > 1);
  s.frame.classList.toggle('more-right', scrollLeft + clientWidth < scrollWidth - 1);
}

/** Why there is nothing to see, where there is nothing. */
function emptyText(data) {
  if (!data.tokens.length) return 'This document has no text.';
  return data.blocks.length ? '' : 'No part of this text is a name that the lexicon knows.';
}

/** `acts`: what is done when a candidate is selected, gets a key, or its block is folded or unfolded. */
export function build(s, data, acts) {
  s.data = data;
  s.nodes = new Map();
  s.all = data.blocks.flatMap(b => b.candidates.map(c => ({ ...c, block: b.key, first: b.first, last: b.last })));
  const height = rowsFor(data.blocks);
  const grid = el('div', 'grid');
  grid.append(...data.blocks.map(b => place(blockNode(s, b, acts), b.first, b.last, height - b.row)));
  s.tokens = data.tokens.map((word, i) => place(visibleEl('div', 'token', word), i, i + 1, height + 1));
  s.golds = data.gold.map(gold => place(goldNode(gold), gold.first, gold.last, height + 2));
  grid.append(...s.tokens, ...s.golds);
  s.scroller = el('div', 'scroll');
  const empty = emptyText(data);
  if (empty) s.scroller.append(el('div', 'empty', empty));
  s.scroller.append(grid);
  s.scroller.onscroll = () => showEdges(s);
  s.frame = el('div', 'frame');
  s.frame.append(s.scroller);
  new ResizeObserver(() => showEdges(s)).observe(s.scroller);
  s.root.replaceChildren(s.frame, legend(s));
}
