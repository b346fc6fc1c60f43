// The mention lattice: what each candidate looks like at the bias of the moment, and what clicks and keys do.
// Solid: chosen; dashed: blocked by a chosen one; hatched: shut out by the selected one; double line: gold; the filled
// share is the marginal probability.

function paint(s) {
  const chosen = s.all.filter(c => (s.moved ? isOn(c.on, s.bias) : c.chosen));
  const found = new Set(chosen.flatMap(c => c.golds));
  const picked = s.all.find(c => String(c.id) === s.selected);
  for (const c of s.all) {
    const node = s.nodes.get(c.id);
    if (!node) continue;
    const on = chosen.includes(c);
    const blocked = !on && chosen.some(other => overlap(other, c));
    const shut = picked !== undefined && picked !== c && overlap(picked, c);
    node.classList.toggle('chosen', on);
    node.classList.toggle('blocked', blocked);
    node.classList.toggle('declined', !on && !blocked);
    node.classList.toggle('selected', c === picked);
    node.classList.toggle('shut', shut);
    // A gold mention may be found through several candidates: it is missed only where none of them is chosen, and
    // those that merely overlap it are not what was missed.
    const missed = !on && c.exact.length > 0 && !c.exact.some(gold => found.has(gold));
    node.querySelector('.sign').textContent = !s.judged ? '' : on ? (c.golds.length ? '✓' : '✗') : missed ? '∅' : '';
    const words = [
      `${c.entity}: score ${three(c.score)}`, `probability ${percent(c.marginal)} %`,
      on ? 'chosen' : blocked ? 'blocked by a chosen candidate' : 'declined',
      c.exact.length ? 'gold' : c.golds.length ? 'would count: overlaps gold' : '', c.known ? '' : 'guessed title, not in the knowledge base',
      shut ? 'shut out by the selected candidate: they share words' : '',
    ];
    node.title = visible(words.filter(Boolean).join(', '));
    node.setAttribute('aria-label', node.title);
    node.setAttribute('aria-pressed', on);
    if (c === picked) node.setAttribute('aria-current', 'true'); else node.removeAttribute('aria-current');
  }
  for (const [n, node] of s.golds.entries()) {
    const overlapped = s.all.some(c => c.golds.includes(n)) && !s.all.some(c => c.exact.includes(n));
    node.querySelector('.sign').textContent = s.judged && overlapped && !found.has(n) ? ' ∅' : '';
  }
  for (const [i, node] of s.tokens.entries()) node.classList.toggle('covered', chosen.some(c => c.first <= i && i < c.last));
}

/** Build the nodes anew; what was scrolled to and focused stays so. */
function rebuild(s, data = s.data) {
  const left = s.scroller ? s.scroller.scrollLeft : 0;
  const focused = s.root.getRootNode().activeElement?.dataset?.id;
  build(s, data);
  s.scroller.scrollLeft = left;
  if (focused !== undefined) s.nodes.get(Number(focused))?.focus({ preventScroll: true });
  showEdges(s);
  paint(s);
}

/** Bring the selected candidate into the box, without moving the page. */
function reveal(s) {
  const node = s.selected === null ? undefined : s.nodes.get(Number(s.selected));
  if (!node) return;
  const box = node.getBoundingClientRect(), frame = s.scroller.getBoundingClientRect();
  if (box.left < frame.left || box.right > frame.right) s.scroller.scrollLeft += box.left - frame.left - (frame.width - box.width) / 2;
}

function select(s, id, tell) {
  s.selected = id === null ? null : String(id);
  const hidden = s.all.find(c => String(c.id) === s.selected && !s.nodes.has(c.id));
  if (hidden) rebuild(s); else paint(s);
  reveal(s);
  if (!tell) return;
  // Held arrow keys tell the server only where they stop.
  clearTimeout(s.timer);
  const message = numbered(s, { id: s.selected });
  s.timer = setTimeout(() => s.send('selected', message), 100);
}

/** The candidate that an arrow key goes to: near in its direction, and not far aside. */
function neighbour(s, node, key) {
  const [along, across] = key === 'ArrowLeft' || key === 'ArrowRight' ? ['left', ['top', 'bottom']] : ['top', ['left', 'right']];
  const sign = key === 'ArrowLeft' || key === 'ArrowUp' ? -1 : 1;
  const here = node.getBoundingClientRect();
  const far = box => {
    const ahead = sign * (box[along] - here[along]);
    const aside = Math.max(0, box[across[0]] - here[across[1]], here[across[0]] - box[across[1]]);
    return ahead > 4 ? ahead + 4 * aside : Infinity;
  };
  const ranked = [...s.nodes.values()].map(other => [far(other.getBoundingClientRect()), other]).sort((a, b) => a[0] - b[0]);
  return ranked.length && Number.isFinite(ranked[0][0]) ? ranked[0][1] : null;
}

function keyed(s, c, event) {
  const act = { p: 'pin', f: 'forbid', u: 'free' }[event.key];
  if (act && !event.ctrlKey && !event.metaKey) {
    event.preventDefault(); event.stopPropagation();
    s.n += 1;
    s.send('act', { kind: act, id: c.id, n: `${Date.now()}-${s.n}` });
  } else if (event.key === 'Escape') select(s, null, true);
  else if (event.key.startsWith('Arrow')) {
    event.preventDefault();
    const to = neighbour(s, event.currentTarget, event.key);
    if (to) { to.focus({ preventScroll: true }); to.click(); to.scrollIntoView({ block: 'nearest', inline: 'nearest' }); }
  }
}

export default function ({ parentElement, data, setStateValue }) {
  const root = parentElement.querySelector('.root');
  const s = stateOf(root, () => ({ root, version: null, doc: null, selected: null, told: undefined, unfolded: new Set(), n: 0, moved: false, bias: 0 }));
  s.send = setStateValue; s.judged = data.judged; s.bias = data.bias;
  if (s.doc !== data.doc) { s.doc = data.doc; s.unfolded.clear(); s.scroller = null; s.selected = null; s.told = undefined; }
  if (s.version !== data.version) { s.version = data.version; s.moved = false; rebuild(s, data); } else paint(s);
  // While a later move is under way, what the server says is old: it must not pull the cursor back.
  if (answered(s, data.ack) && s.told !== data.selected) {
    s.told = data.selected;
    if (s.selected !== data.selected) select(s, data.selected, false);
  }
  return onBias(s, detail => {
    if (detail.run && data.run && detail.run !== data.run) return;
    s.bias = detail.bias; s.moved = true;
    paint(s);
  });
}
