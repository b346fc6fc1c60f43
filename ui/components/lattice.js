// The mention lattice as a CSS grid: a column per token, a block per span, a button per entity.
// Solid: chosen; dashed: blocked by a chosen one; double line: gold; the filled share is the marginal probability.

const FOLDED = 3; // entities shown per span until it is unfolded

function rowsFor(blocks) {
  // Short spans lie next to the text; no two blocks of a row share a token.
  const rows = [];
  for (const block of [...blocks].sort((a, b) => (a.last - a.first) - (b.last - b.first) || a.first - b.first)) {
    let row = 0;
    while ((rows[row] || []).some(o => o.first < block.last && block.first < o.last)) row++;
    (rows[row] = rows[row] || []).push(block);
    block.row = row;
  }
  return rows.length;
}


function paint(s) {
  const chosen = s.all.filter(c => (s.moved ? isOn(c.on, s.bias) : c.chosen));
  for (const c of s.all) {
    const on = chosen.includes(c);
    const blocked = !on && chosen.some(o => o.first < c.last && c.first < o.last);
    const node = s.nodes.get(c.id);
    if (!node) continue;
    node.classList.toggle('chosen', on);
    node.classList.toggle('blocked', blocked);
    node.classList.toggle('declined', !on && !blocked);
    node.classList.toggle('selected', s.selected === String(c.id));
    node.setAttribute('aria-pressed', on);
    node.querySelector('.sign').textContent = !s.judged ? '' : on && c.gold ? '✓' : on ? '✗' : c.gold ? '∅' : '';
    node.title = visible(`${c.entity}: score ${three(c.score)}, probability ${percent(c.marginal)} %` + (on ? ', chosen' : blocked ? ', blocked by a chosen candidate' : ', declined') + (c.gold ? ', gold' : ''));
  }
  for (const [i, node] of s.tokens.entries()) node.classList.toggle('covered', chosen.some(c => c.first <= i && i < c.last));
}

function select(s, id, tell) {
  s.selected = id === null ? null : String(id);
  paint(s);
  if (!tell) return;
  clearTimeout(s.timer);
  s.timer = setTimeout(() => s.send('selected', s.selected), 100);
}

function button(s, c) {
  const node = el('button', 'candidate' + (c.gold ? ' gold' : ''));
  node.style.setProperty('--p', c.marginal);
  const name = el('span', 'name');
  if (c.pinned) name.append(icon(c.pinned === 'on' ? 'keep' : 'block'));
  appendVisible(name, c.entity);
  node.append(name, el('span', 'p', percent(c.marginal)), el('span', 'sign'));
  node.onclick = () => select(s, c.id, true);
  node.onkeydown = event => keyed(s, c, event);
  s.nodes.set(c.id, node);
  return node;
}

function keyed(s, c, event) {
  const act = { p: 'pin', f: 'forbid', u: 'free' }[event.key];
  if (act && !event.ctrlKey && !event.metaKey) { event.preventDefault(); event.stopPropagation(); s.n += 1; s.send('act', { kind: act, id: c.id, n: `${Date.now()}-${s.n}` }); return; }
  if (event.key === 'Escape') { select(s, null, true); return; }
  const shown = [...s.root.querySelectorAll('button.candidate')];
  const at = shown.indexOf(event.currentTarget);
  const here = event.currentTarget.getBoundingClientRect();
  let to = null;
  if (event.key === 'ArrowDown') to = shown[at + 1];
  else if (event.key === 'ArrowUp') to = shown[at - 1];
  else if (event.key === 'ArrowRight' || event.key === 'ArrowLeft') {
    const sign = event.key === 'ArrowRight' ? 1 : -1;
    to = shown.filter(n => sign * (n.getBoundingClientRect().left - here.left) > 4)
      .sort((a, b) => Math.abs(a.getBoundingClientRect().left - here.left) - Math.abs(b.getBoundingClientRect().left - here.left) || Math.abs(a.getBoundingClientRect().top - here.top) - Math.abs(b.getBoundingClientRect().top - here.top))[0];
  }
  if (to) { event.preventDefault(); to.focus(); to.click(); }
}

function build(s, data) {
  s.nodes = new Map();
  s.all = data.blocks.flatMap(b => b.candidates.map(c => ({ ...c, first: b.first, last: b.last })));
  const grid = el('div', 'grid');
  const height = rowsFor(data.blocks);
  for (const block of data.blocks) {
    const box = el('div', 'block');
    box.style.gridColumn = `${block.first + 1} / ${block.last + 1}`;
    box.style.gridRow = String(height - block.row);
    const surface = el('div', 'surface');
    appendVisible(surface, block.surface);
    box.append(surface);
    const open = s.unfolded.has(block.key) || block.candidates.length <= FOLDED + 1;
    const shown = open ? block.candidates : block.candidates.filter((c, i) => i < FOLDED || c.chosen || c.gold || c.pinned || String(c.id) === data.selected);
    for (const c of shown) box.append(button(s, s.all.find(o => o.id === c.id)));
    if (block.candidates.length > shown.length || s.unfolded.has(block.key)) {
      const more = el('button', 'more', s.unfolded.has(block.key) ? 'fewer' : `+ ${block.candidates.length - shown.length} more`);
      more.onclick = () => { if (!s.unfolded.delete(block.key)) s.unfolded.add(block.key); build(s, data); paint(s); };
      box.append(more);
    }
    grid.append(box);
  }
  s.tokens = data.tokens.map((word, i) => {
    const node = el('div', 'token');
    appendVisible(node, word);
    node.style.gridColumn = String(i + 1);
    node.style.gridRow = String(height + 1);
    grid.append(node);
    return node;
  });
  for (const g of data.gold) {
    const node = el('div', 'gold-row');
    appendVisible(node, g.entity + (g.reachable ? '' : ' ∅ no candidate'));
    node.title = visible('gold: ' + g.entity);
    node.style.gridColumn = `${g.first + 1} / ${g.last + 1}`;
    node.style.gridRow = String(height + 2);
    grid.append(node);
  }
  const scroll = el('div', 'scroll');
  if (!data.tokens.length) scroll.append(el('div', 'none', 'This document has no text.'));
  else if (!data.blocks.length) scroll.append(el('div', 'none', 'No part of this text is a name that the lexicon knows.'));
  scroll.append(grid);
  const hint = el('div', 'hint', 'Filled share: probability · solid: chosen · dashed: blocked · green double line: gold · arrows move, p pins, f forbids, u frees, Esc clears');
  s.root.replaceChildren(scroll, hint);
}

export default function ({ parentElement, data, setStateValue }) {
  const root = parentElement.querySelector('.root');
  const s = stateOf(root, () => ({ root, version: null, selected: null, unfolded: new Set(), n: 0, moved: false, bias: 0 }));
  s.send = setStateValue; s.judged = data.judged;
  if (s.version !== data.version) { s.version = data.version; s.moved = false; build(s, data); }
  s.selected = data.selected ?? s.selected;
  s.bias = data.bias;
  paint(s);
  const stop = onBias(detail => { if (!detail.run || !data.run || detail.run === data.run) { s.bias = detail.bias; s.moved = true; paint(s); } });
  return () => stop();
}
