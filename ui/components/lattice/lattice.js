// The mention lattice: what each candidate looks like at the bias of the moment, and what clicks and keys do.
// Solid: chosen; dashed: blocked by a chosen one; hatched: excluded by the selected one; double line: gold; the filled
// share is the marginal probability.
import { isOn, onBias } from '../shared/bias.js';
import { visible } from '../shared/dom.js';
import { outboxOf } from '../shared/messages.js';
import { percent, three } from '../shared/numbers.js';
import { stateOf } from '../shared/state.js';
import { build, overlap, showFrame } from './board.js';

/** What can be said of a candidate at this moment. */
function statusOf(c, chosen, found, picked) {
  const on = chosen.includes(c);
  return {
    on,
    blocked: !on && chosen.some(other => overlap(other, c)),
    excluded: picked !== undefined && picked !== c && overlap(picked, c),
    // A gold mention may be found through several candidates: it is missed only where none of them is chosen, and
    // those that merely overlap it are not what was missed.
    missed: !on && c.exact.length > 0 && !c.exact.some(gold => found.has(gold)),
  };
}

function signOf(c, { on, missed }) {
  if (on) return c.golds.length ? '✓' : '✗';
  return missed ? '∅' : '';
}

function wordsOf(c, { on, blocked, excluded }) {
  return [
    `${c.entity}: score ${three(c.score)}`,
    `probability ${percent(c.marginal)} %`,
    c.pinned === 'off' ? 'you forbade it' : on ? 'chosen' : blocked ? 'blocked by a chosen candidate' : 'declined',
    c.exact.length ? 'gold' : c.golds.length ? 'would count: overlaps gold' : '',
    c.known ? '' : 'guessed title, not in the knowledge base',
    excluded ? 'excluded by the selected candidate: they share words' : '',
  ].filter(Boolean);
}

function paintCandidate(s, c, status, isPicked) {
  const node = s.nodes.get(c.id);
  if (!node) return;
  const { on, blocked, excluded } = status;
  const classes = { chosen: on, blocked, declined: !on && !blocked, selected: isPicked, excluded };
  for (const [name, holds] of Object.entries(classes)) node.classList.toggle(name, holds);
  node.querySelector('.sign').textContent = s.judged ? signOf(c, status) : '';
  node.title = visible(wordsOf(c, status).join(', '));
  node.setAttribute('aria-label', node.title);
  node.setAttribute('aria-pressed', on);
  if (isPicked) node.setAttribute('aria-current', 'true');
  else node.removeAttribute('aria-current');
}

function paint(s) {
  const chosen = s.all.filter(s.isChosen);
  if (chosen.some(c => !s.nodes.has(c.id))) {
    // The knob has chosen what was folded away.
    rebuild(s);
    return;
  }
  const found = new Set(chosen.flatMap(c => c.golds));
  const picked = s.all.find(c => String(c.id) === s.selected);
  for (const c of s.all) paintCandidate(s, c, statusOf(c, chosen, found, picked), c === picked);
  for (const [n, node] of s.golds.entries()) {
    const overlapped = s.all.some(c => c.golds.includes(n)) && !s.all.some(c => c.exact.includes(n));
    node.querySelector('.sign').textContent = s.judged && overlapped && !found.has(n) ? ' ∅' : '';
  }
  paintMap(s, found);
  for (const [i, node] of s.tokens.entries()) {
    node.classList.toggle(
      'covered',
      chosen.some(c => c.first <= i && i < c.last),
    );
  }
}

/** Build the nodes anew; what was scrolled to and focused stays so. */
function rebuild(s, data = s.data) {
  const top = s.scroller ? s.scroller.scrollTop : 0;
  const focused = s.root.getRootNode().activeElement?.dataset?.id;
  build(s, data, {
    select: c => select(s, c.id, true),
    key: (c, event) => keyed(s, c, event),
    share: share => {
      s.share = share;
      rebuild(s);
    },
    again: () => rebuild(s),
    go: key => go(s, key),
    fold: key => {
      if (!s.unfolded.delete(key)) s.unfolded.add(key);
      rebuild(s);
    },
  });
  s.scroller.scrollTop = top;
  if (focused !== undefined) s.nodes.get(Number(focused))?.focus({ preventScroll: true });
  paint(s);
  showFrame(s);
}

/** Bring the selected candidate into the box, without moving the page. */
function reveal(s) {
  const node = s.selected === null ? undefined : s.nodes.get(Number(s.selected));
  if (!node) return;
  const box = node.getBoundingClientRect();
  const frame = s.scroller.getBoundingClientRect();
  if (box.top >= frame.top && box.bottom <= frame.bottom) return;
  s.scroller.scrollTop += box.top - frame.top - (frame.height - box.height) / 2;
}

/** To the span with this key: its chosen candidate, else its likeliest one. */
function go(s, key) {
  const own = s.owned.get(key) ?? [];
  const one = own.find(s.isChosen) ?? own[0];
  if (one) select(s, one.id, true);
}

/** What the line of all spans says of one: a chosen one is right or wrong, a gold one may be lost. */
function paintMap(s, found) {
  if (!s.map) return;
  const states = s.blocks.map(({ key }) => {
    const own = s.owned.get(key);
    const on = own.find(s.isChosen);
    if (on) return !s.judged || on.golds.length ? 'right' : 'wrong';
    return s.judged && own.some(c => c.exact.some(gold => !found.has(gold))) ? 'lost' : 'plain';
  });
  s.map.paint(states);
  const picked = s.all.find(c => String(c.id) === s.selected);
  s.map.mark(picked ? s.blocks.findIndex(({ key }) => key === picked.block) : -1);
}

function select(s, id, tell) {
  s.selected = id === null ? null : String(id);
  const hidden = s.all.find(c => String(c.id) === s.selected && !s.nodes.has(c.id));
  if (hidden) rebuild(s);
  else paint(s);
  reveal(s);
  if (tell) s.outbox.latest('select', { id: s.selected }, 100);
}

/** The candidate that an arrow key goes to: near in its direction, and not far aside. */
function neighbour(s, node, key) {
  const level = key === 'ArrowLeft' || key === 'ArrowRight';
  const [along, across] = level ? ['left', ['top', 'bottom']] : ['top', ['left', 'right']];
  const sign = key === 'ArrowLeft' || key === 'ArrowUp' ? -1 : 1;
  const here = node.getBoundingClientRect();
  const far = box => {
    const ahead = sign * (box[along] - here[along]);
    const aside = Math.max(0, box[across[0]] - here[across[1]], here[across[0]] - box[across[1]]);
    return ahead > 4 ? ahead + 4 * aside : Infinity;
  };
  const ranked = [...s.nodes.values()].map(other => [far(other.getBoundingClientRect()), other]);
  const [nearest] = ranked.sort((a, b) => a[0] - b[0]);
  return nearest && Number.isFinite(nearest[0]) ? nearest[1] : null;
}

function keyed(s, c, event) {
  const act = { p: 'pin', f: 'forbid', u: 'free' }[event.key];
  if (act && !event.ctrlKey && !event.metaKey) {
    event.preventDefault();
    event.stopPropagation();
    s.outbox.tell(act, { id: c.id });
  } else if (event.key === 'Escape') select(s, null, true);
  else if (event.key.startsWith('Arrow')) {
    event.preventDefault();
    const to = neighbour(s, event.currentTarget, event.key);
    if (!to) return;
    to.focus({ preventScroll: true });
    to.click();
    to.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }
}

const firstState = root => ({
  root,
  nodes: new Map(),
  version: null,
  doc: null,
  selected: null,
  told: undefined,
  unfolded: new Set(),
  share: 0.01,
  moved: false,
  bias: 0,
});

export default function lattice({ parentElement, data, setStateValue }) {
  const s = stateOf(parentElement, firstState);
  s.isChosen = c => (s.moved ? isOn(c.on, s.bias) : c.chosen);
  outboxOf(s, data, setStateValue);
  s.judged = data.judged;
  s.bias = data.bias;
  if (s.doc !== data.doc) {
    Object.assign(s, { doc: data.doc, scroller: null, selected: null, told: undefined });
    s.unfolded.clear();
  }
  if (s.version === data.version) paint(s);
  else {
    Object.assign(s, { version: data.version, moved: false });
    rebuild(s, data);
  }
  // While a later move is under way, what the server says is old: it must not pull the cursor back.
  if (s.outbox.settled && s.told !== data.selected) {
    s.told = data.selected;
    if (s.selected !== data.selected) select(s, data.selected, false);
  }
  return onBias(s, detail => {
    if (detail.run && data.run && detail.run !== data.run) return;
    s.bias = detail.bias;
    s.moved = true;
    paint(s);
  });
}
