// The nodes of the lattice: a column per token, a block per span, a button per entity. What they look like at the
// moment is painted by lattice.js.

const FOLDED = 3; // entities shown per span until it is unfolded

const overlap = (a, b) => a.first < b.last && b.first < a.last;

/** Rows for blocks: short spans lie next to the text, and no two blocks of a row share a token. */
function rowsFor(blocks) {
  const rows = [];
  for (const block of [...blocks].sort((a, b) => (a.last - a.first) - (b.last - b.first) || a.first - b.first)) {
    let row = 0;
    while ((rows[row] || []).some(other => overlap(other, block))) row++;
    (rows[row] = rows[row] || []).push(block);
    block.row = row;
  }
  return rows.length;
}

/** Whether choosing it finds a gold mention although its span is another one. */
const onlyCounts = c => c.golds.length > 0 && !c.exact.length;

function button(s, c) {
  const node = el('button', 'candidate' + (c.exact.length ? ' gold' : c.golds.length ? ' counts' : ''));
  node.dataset.id = c.id;
  node.style.setProperty('--p', c.marginal);
  const name = el('span', 'name');
  if (c.pinned) name.append(icon(c.pinned === 'on' ? 'keep' : 'block'));
  appendVisible(name, c.entity);
  if (!c.known) name.append(el('span', 'guess', '?'));
  node.append(name, el('span', 'p', percent(c.marginal)), el('span', 'sign'));
  node.onclick = () => select(s, c.id, true);
  node.onkeydown = event => keyed(s, c, event);
  s.nodes.set(c.id, node);
  return node;
}

/** Whether a candidate is seen without unfolding: the likeliest, and all that something can be told about. */
function stands(s, c, rank) {
  return rank < FOLDED || c.on.length > 0 || c.golds.length > 0 || c.pinned || String(c.id) === s.selected;
}

function blockNode(s, block) {
  const box = el('div', 'block');
  const surface = el('div', 'surface');
  appendVisible(surface, block.surface);
  box.append(surface);
  const unfolded = s.unfolded.has(block.key);
  const all = s.all.filter(c => c.block === block.key);
  const shown = unfolded || all.length <= FOLDED + 1 ? all : all.filter((c, rank) => stands(s, c, rank));
  for (const c of shown) box.append(button(s, c));
  if (unfolded || shown.length < all.length) {
    const more = el('button', 'more', unfolded ? 'fewer' : `+ ${all.length - shown.length} more`);
    more.onclick = () => { if (!s.unfolded.delete(block.key)) s.unfolded.add(block.key); rebuild(s); };
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
  const node = el('div', 'gold-row');
  appendVisible(node, gold.entity + (gold.reachable ? '' : ' ∅ no candidate'));
  node.append(el('span', 'sign'));
  node.title = visible('gold: ' + gold.entity);
  return node;
}

function legend(s) {
  const words = ['filled share: probability', 'solid: chosen', 'dashed: blocked', 'hatched: shut out by the selected one'];
  if (s.judged) words.push('green: gold');
  if (s.judged && s.all.some(onlyCounts)) words.push('thin green: would count, overlaps gold');
  if (s.all.some(c => !c.known)) words.push('?: guessed title, not in the knowledge base');
  return el('div', 'hint', words.join(' · ') + ' · arrows move, p pins, f forbids, u frees, Esc clears');
}

/** Fades at the edges say that there is more to scroll to, also where scrollbars are hidden. */
function showEdges(s) {
  const { scrollLeft, clientWidth, scrollWidth } = s.scroller;
  s.frame.classList.toggle('more-left', scrollLeft > 1);
  s.frame.classList.toggle('more-right', scrollLeft + clientWidth < scrollWidth - 1);
}

function build(s, data) {
  s.data = data; s.nodes = new Map();
  s.all = data.blocks.flatMap(b => b.candidates.map(c => ({ ...c, block: b.key, first: b.first, last: b.last })));
  const grid = el('div', 'grid');
  const height = rowsFor(data.blocks);
  for (const block of data.blocks) grid.append(place(blockNode(s, block), block.first, block.last, height - block.row));
  s.tokens = data.tokens.map((word, i) => {
    const node = el('div', 'token');
    appendVisible(node, word);
    grid.append(place(node, i, i + 1, height + 1));
    return node;
  });
  s.golds = data.gold.map(gold => {
    const node = goldNode(gold);
    grid.append(place(node, gold.first, gold.last, height + 2));
    return node;
  });
  s.scroller = el('div', 'scroll');
  if (!data.tokens.length) s.scroller.append(el('div', 'none', 'This document has no text.'));
  else if (!data.blocks.length) s.scroller.append(el('div', 'none', 'No part of this text is a name that the lexicon knows.'));
  s.scroller.append(grid);
  s.scroller.onscroll = () => showEdges(s);
  s.frame = el('div', 'frame');
  s.frame.append(s.scroller);
  new ResizeObserver(() => showEdges(s)).observe(s.scroller);
  s.root.replaceChildren(s.frame, legend(s));
}
