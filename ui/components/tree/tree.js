// Two trees beside one list of mentions: predicted arcs on the left, latent arcs on the right.
// Solid and blue: in both trees. Red: predicted only, wrong. Dashed: latent only. A dot: starts an entity.
// Arcs run in lanes, short ones next to the words, so that no two lie on each other. Above: the map of all entities.
import { el, svg, visible, visibleEl } from '../shared/dom.js';
import { drawn as pictured } from '../shared/drawn.js';
import { outboxOf } from '../shared/messages.js';
import { three } from '../shared/numbers.js';
import { saveButtons } from '../shared/saving.js';
import { stateOf } from '../shared/state.js';
import { stepFrom } from '../shared/stepping.js';
import { chainMap } from './chains.js';
import { lanesOf } from './lanes.js';

const ROW = 26;
const GUTTER = 150;
const STEP = 13; // from lane to lane
const MARGIN = 400;
const NONE = -1; // no antecedent: the mention starts an entity
const UNKNOWN = -2; // the tree is not known

/** From the mention straight out to the lane, along it, and back in to the antecedent. */
function arc(from, to, left, offset, lane, lanes) {
  const y0 = from * ROW + ROW / 2 - offset + 3;
  const y1 = to * ROW + ROW / 2 - offset - 3;
  const out = Math.min(STEP, (GUTTER - 24) / Math.max(1, lanes)) * (lane + 1) + 8;
  const x = left ? GUTTER - 4 : 4;
  const sign = left ? -1 : 1;
  const far = x + sign * out;
  const r = Math.min(6, (y1 - y0) / 2);
  const turn = far - sign * r;
  return `M${x},${y0} H${turn} Q${far},${y0} ${far},${y0 + r} V${y1 - r} Q${far},${y1} ${turn},${y1} H${x}`;
}

/** A dot where a mention starts an entity. */
function dotOf(row, left, y) {
  const other = left ? row.latent : row.head;
  const same = other === NONE || other === UNKNOWN;
  const state = same ? 'root' : left ? 'root wrong' : 'root missed';
  return svg('circle', { cx: left ? GUTTER - 8 : 8, cy: y, r: 3.5, class: state });
}

/** How an arc compares with the other tree. */
function stateOfArc(row, left) {
  const [head, other] = left ? [row.head, row.latent] : [row.latent, row.head];
  if (other === UNKNOWN || other === head) return 'same';
  if (!left) return 'missed';
  return row.right ? 'other' : 'wrong';
}

const MEANINGS = {
  same: 'in both trees',
  missed: 'missed: only gold has it',
  other: 'right, though the latent tree takes another way',
  wrong: 'wrong: only the prediction has it',
};

/** An arc in words. */
function arcWords(s, row, head, left, state) {
  const score = left ? `, score ${three(row.score)}` : '';
  return `${row.text} → ${s.data.rows[head].text}: ${MEANINGS[state]}${score}`;
}

function drawArcs(s, first, last, left) {
  const sides = { width: GUTTER, height: (last - first) * ROW, class: 'arcs overlay ' + (left ? 'left' : 'right') };
  const drawing = svg('svg', { ...sides, 'aria-hidden': 'true' });
  drawing.style.top = first * ROW + 'px';
  const onTop = [];
  const { lanes, count } = left ? s.lanes.left : s.lanes.right;
  for (const [i, row] of s.data.rows.entries()) {
    const head = left ? row.head : row.latent;
    if (head === UNKNOWN || i < first || head >= last) continue;
    if (head === NONE) {
      if (i < last) drawing.append(dotOf(row, left, (i - first) * ROW + ROW / 2));
      continue;
    }
    const state = stateOfArc(row, left);
    const chosen = row.key === s.selected;
    const d = arc(head, i, left, first * ROW, lanes[i], count);
    const path = svg('path', { d, class: state + (chosen ? ' chosen' : '') });
    path.append(Object.assign(svg('title'), { textContent: visible(arcWords(s, row, head, left, state)) }));
    path.onclick = () => choose(s, row.key);
    if (state === 'wrong' || chosen) onTop.push(path);
    else drawing.append(path);
  }
  drawing.append(...onTop);
  return drawing;
}

/** What is told about a mention in words. */
function wordsOf(s, row) {
  return [
    row.text,
    row.number === null ? 'in no entity' : 'entity ' + row.number,
    row.gold === null ? '' : 'gold entity ' + row.gold,
    row.head === NONE ? 'starts an entity' : 'antecedent: ' + s.data.rows[row.head].text,
    'score ' + three(row.score),
    row.margin === null ? '' : 'margin ' + three(row.margin),
    row.right === null ? '' : row.right ? 'right' : 'wrong',
  ].filter(Boolean);
}

function chipOf(row) {
  const chip = el('span', 'chip', row.number === null ? '·' : String(row.number));
  if (row.number === null) chip.classList.add('none');
  else chip.style.setProperty('--chip', `var(--c${row.colour % 6})`);
  return chip;
}

function drawRow(s, row, i) {
  const button = el('button', 'mention' + (row.key === s.selected ? ' selected' : ''));
  button.style.top = i * ROW + 'px';
  button.dataset.key = row.key;
  button.tabIndex = row.key === s.selected || (!s.selected && i === 0) ? 0 : -1;
  const sign = row.right === null ? '' : row.right ? '✓' : '✗';
  button.append(
    chipOf(row),
    visibleEl('span', 'words one-line', row.text),
    el('span', 'gold', row.gold === null || row.gold === row.number ? '' : '→ ' + row.gold),
    el('span', 'facts', three(row.score)),
    el('span', 'sign ' + (row.right ? 'good' : 'bad'), sign),
  );
  const told = wordsOf(s, row);
  button.title = visible(told.join('\n'));
  button.setAttribute('aria-label', visible(told.join(', ')));
  button.onclick = () => choose(s, row.key);
  return button;
}

/** Draw the rows and arcs that are on screen, and a little around. */
function paint(s, all = false) {
  const { rows } = s.data;
  const top = s.scroller.scrollTop;
  const height = s.scroller.clientHeight || s.data.height;
  const first = all ? 0 : Math.max(0, Math.floor((top - MARGIN) / ROW));
  const last = all ? rows.length : Math.min(rows.length, Math.ceil((top + height + MARGIN) / ROW));
  const focused = s.root.getRootNode().activeElement?.dataset?.key;
  const drawn = rows.slice(first, last).map((row, k) => drawRow(s, row, first + k));
  s.board.replaceChildren(drawArcs(s, first, last, true), drawArcs(s, first, last, false), ...drawn);
  s.painted = [first, last];
  if (focused) s.board.querySelector(`[data-key="${CSS.escape(focused)}"]`)?.focus({ preventScroll: true });
}

/** Whether all rows on screen are drawn. */
function isPainted(s) {
  const { scrollTop, clientHeight } = s.scroller;
  const [first, last] = s.painted;
  return first * ROW <= scrollTop && Math.min(scrollTop + clientHeight, s.data.rows.length * ROW) <= last * ROW;
}

function draw(s) {
  const { rows, caption, height } = s.data;
  const latent = rows.some(row => row.latent !== UNKNOWN) ? 'latent tree (gold)' : '';
  const heads = el('div', 'heads');
  heads.append(el('span', 'side', 'predicted tree'), el('span', 'side middle', 'entity, mention, score of its arc'));
  heads.append(el('span', 'side last', latent));
  s.lanes = { left: lanesOf(rows.map(row => row.head)), right: lanesOf(rows.map(row => row.latent)) };
  s.scroller = el('div', 'scroller');
  s.scroller.style.height = Math.min(height, rows.length * ROW + 4) + 'px';
  s.scroller.setAttribute('role', 'group');
  s.scroller.setAttribute('aria-label', 'mentions and their antecedents');
  s.board = el('div', 'board');
  s.board.style.height = rows.length * ROW + 'px';
  s.scroller.append(s.board);
  s.scroller.onscroll = () => {
    s.waiting ||= requestAnimationFrame(() => {
      s.waiting = 0;
      if (!isPainted(s)) paint(s);
    });
  };
  const save = saveButtons(() => whole(s), 'coreference');
  const { chains } = s.data;
  const map = chains.length
    ? chainMap(
        chains,
        () => s.selected,
        key => choose(s, key),
        save,
      )
    : null;
  s.root.replaceChildren(...(map ? [map.root] : []), heads, s.scroller, legend(latent, caption, map ? [] : [save]));
  map?.list.querySelector('.shown')?.scrollIntoView({ block: 'nearest' });
}

/** What the lines mean, each with a piece of it. */
function legend(judged, caption, more) {
  const box = el('div', 'legend');
  const kinds = judged
    ? { same: 'in both trees', wrong: 'predicted, wrong', missed: 'missed', other: 'right by another way' }
    : { same: 'predicted' };
  for (const [state, words] of Object.entries(kinds)) {
    const sample = svg('svg', { width: 26, height: 10, class: 'arcs', 'aria-hidden': 'true' });
    sample.append(svg('path', { d: 'M1,5 H25', class: state }));
    const one = el('span', 'kind');
    one.append(sample, words);
    box.append(one);
  }
  box.append(el('span', '', caption), ...more);
  return box;
}

/** All rows as a picture, also those that are not on screen. */
function whole(s) {
  paint(s, true);
  const picture = pictured(s.board);
  paint(s);
  return picture;
}

function reveal(s) {
  const at = s.data.rows.findIndex(row => row.key === s.selected);
  if (at < 0) return;
  const top = at * ROW;
  const { scrollTop, clientHeight } = s.scroller;
  if (top >= scrollTop && top + ROW <= scrollTop + clientHeight) return;
  s.scroller.scrollTop = Math.max(0, top - clientHeight / 2);
}

function choose(s, key) {
  s.selected = key;
  reveal(s);
  paint(s);
  s.outbox.latest('select', { id: key });
}

/** The row that a key leads to: the one above or below, or the antecedent. */
function target(s, key) {
  const { rows } = s.data;
  const at = rows.findIndex(row => row.key === s.selected);
  const by = { ArrowDown: 1, ArrowUp: -1 }[key];
  if (by) return stepFrom(rows, at, by);
  return key === 'ArrowLeft' ? rows[rows[at]?.head] : undefined;
}

function keyed(s, event) {
  if (event.target instanceof HTMLInputElement) return;
  const row = target(s, event.key);
  if (row) {
    choose(s, row.key);
    s.board.querySelector('.selected')?.focus({ preventScroll: true });
  }
  if (row || event.key === 'ArrowDown' || event.key === 'ArrowUp') event.preventDefault();
}

export default function tree({ parentElement, data, setStateValue }) {
  const s = stateOf(parentElement, root => ({ root, version: null, selected: null }));
  s.data = data;
  outboxOf(s, data, setStateValue);
  const fresh = s.version !== data.version;
  if (fresh) {
    s.version = data.version;
    draw(s);
  }
  // While the server has not heard the last click, what it says is old.
  const moved = s.outbox.settled && s.selected !== data.selected;
  if (moved) {
    s.selected = data.selected;
    reveal(s);
  }
  // Rows that are replaced under a pressed button would swallow the click.
  if (fresh || moved) paint(s);
  s.root.onkeydown = event => keyed(s, event);
}
