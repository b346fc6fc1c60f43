// Two trees beside one list of mentions: predicted arcs on the left, latent arcs on the right.
// Solid and blue: in both trees. ✗: predicted only. Dashed: latent only. A dot: starts an entity.

const ROW = 26, GUTTER = 150, MARGIN = 400;

const reach = distance => Math.min(GUTTER - 16, 18 + 19 * Math.log2(distance + 1));

function arc(from, to, left, offset) {
  const y0 = from * ROW + ROW / 2 - offset, y1 = to * ROW + ROW / 2 - offset;
  const bend = reach(to - from);
  const x = left ? GUTTER - 4 : 4, far = left ? x - bend : x + bend;
  return `M${x},${y0} C${far},${y0} ${far},${y1} ${x},${y1}`;
}

function drawArcs(s, first, last, left) {
  const rows = s.data.rows, height = (last - first) * ROW;
  const drawing = svg('svg', { width: GUTTER, height, class: 'arcs ' + (left ? 'left' : 'right'), 'aria-hidden': 'true' });
  drawing.style.top = first * ROW + 'px';
  const field = left ? 'head' : 'latent', other = left ? 'latent' : 'head';
  const late = [];
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i], head = row[field];
    if (head === -2 || i < first || head >= last) continue;
    const y = i * ROW + ROW / 2 - first * ROW;
    if (head === -1) {
      if (i < last) {
        const same = row[other] === -1 || row[other] === -2;
        drawing.append(svg('circle', { cx: left ? GUTTER - 8 : 8, cy: y, r: 3.5, class: same ? 'root' : left ? 'root wrong' : 'root missed' }));
      }
      continue;
    }
    const same = row[other] === head;
    const state = row[other] === -2 || same ? 'same' : left ? (row.right ? 'other' : 'wrong') : 'missed';
    const chosen = row.key === s.selected;
    const path = svg('path', { d: arc(head, i, left, first * ROW), class: state + (chosen ? ' chosen' : '') });
    path.onclick = () => s.choose(row.key);
    if (state === 'wrong' || chosen) late.push(path); else drawing.append(path);
  }
  drawing.append(...late);
  return drawing;
}

function drawRow(s, row, i) {
  const button = el('button', 'mention' + (row.key === s.selected ? ' selected' : ''));
  button.style.top = i * ROW + 'px';
  button.dataset.key = row.key;
  button.tabIndex = row.key === s.selected || (!s.selected && i === 0) ? 0 : -1;
  const chip = el('span', 'chip', row.number === null ? '·' : String(row.number));
  if (row.number !== null) chip.style.setProperty('--chip', `var(--c${row.colour % 6})`); else chip.classList.add('none');
  const words = el('span', 'words');
  appendVisible(words, row.text);
  const facts = el('span', 'facts', three(row.score));
  const sign = row.right === null ? '' : row.right ? '✓' : '✗';
  button.append(chip, words, el('span', 'gold', row.gold === null || row.gold === row.number ? '' : '→ ' + row.gold), facts, el('span', 'sign ' + (row.right ? 'good' : 'bad'), sign));
  const told = [row.text, row.number === null ? 'in no entity' : 'entity ' + row.number, row.gold === null ? '' : 'gold entity ' + row.gold,
    row.head === -1 ? 'starts an entity' : 'antecedent: ' + s.data.rows[row.head].text, 'score ' + three(row.score), row.margin === null ? '' : 'margin ' + three(row.margin),
    row.right === null ? '' : row.right ? 'right' : 'wrong'].filter(Boolean);
  button.title = visible(told.join('\n'));
  button.setAttribute('aria-label', visible(told.join(', ')));
  button.onclick = () => s.choose(row.key);
  return button;
}

/** Draw the rows and arcs that are on screen, and a little around. */
function paint(s) {
  const rows = s.data.rows, top = s.scroller.scrollTop, height = s.scroller.clientHeight || s.data.height;
  const first = Math.max(0, Math.floor((top - MARGIN) / ROW)), last = Math.min(rows.length, Math.ceil((top + height + MARGIN) / ROW));
  const focused = s.root.getRootNode().activeElement?.dataset?.key;
  const nodes = [drawArcs(s, first, last, true), drawArcs(s, first, last, false)];
  for (let i = first; i < last; i++) nodes.push(drawRow(s, rows[i], i));
  s.board.replaceChildren(...nodes);
  s.painted = [first, last];
  if (focused) s.board.querySelector(`[data-key="${CSS.escape(focused)}"]`)?.focus({ preventScroll: true });
}

/** Whether all rows on screen are drawn. */
function isPainted(s) {
  const { scrollTop, clientHeight } = s.scroller, [first, last] = s.painted;
  return first * ROW <= scrollTop && Math.min(scrollTop + clientHeight, s.data.rows.length * ROW) <= last * ROW;
}

function draw(s) {
  const head = el('div', 'heads');
  head.append(el('span', 'side', 'predicted tree'), el('span', 'side middle', s.data.caption), el('span', 'side last', s.data.rows.some(row => row.latent !== -2) ? 'latent tree (gold)' : ''));
  s.scroller = el('div', 'scroller');
  s.scroller.style.height = Math.min(s.data.height, s.data.rows.length * ROW + 4) + 'px';
  s.scroller.setAttribute('role', 'group');
  s.scroller.setAttribute('aria-label', 'mentions and their antecedents');
  s.board = el('div', 'board');
  s.board.style.height = s.data.rows.length * ROW + 'px';
  s.scroller.append(s.board);
  s.scroller.onscroll = () => {
    if (s.waiting) return;
    s.waiting = requestAnimationFrame(() => { s.waiting = 0; if (!isPainted(s)) paint(s); });
  };
  s.root.replaceChildren(head, s.scroller);
}

function reveal(s) {
  const at = s.data.rows.findIndex(row => row.key === s.selected);
  if (at < 0) return;
  const top = at * ROW, { scrollTop, clientHeight } = s.scroller;
  if (top < scrollTop || top + ROW > scrollTop + clientHeight) s.scroller.scrollTop = Math.max(0, top - clientHeight / 2);
}

export default function ({ parentElement, data, setStateValue }) {
  const root = parentElement.querySelector('.root');
  const s = stateOf(root, () => ({ root, version: null, selected: null }));
  s.data = data;
  s.choose = key => { s.selected = key; reveal(s); paint(s); setStateValue('selected', numbered(s, { id: key })); };
  const fresh = s.version !== data.version;
  if (fresh) { s.version = data.version; draw(s); }
  // While the server has not heard the last click, what it says is old.
  const moved = answered(s, data.ack) && s.selected !== data.selected;
  if (moved) { s.selected = data.selected; reveal(s); }
  // Rows that are replaced under a pressed button would swallow the click.
  if (fresh || moved) paint(s);
  root.onkeydown = event => {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const at = data.rows.findIndex(row => row.key === s.selected);
    if (by) {
      const next = data.rows[Math.min(data.rows.length - 1, Math.max(0, at < 0 ? 0 : at + by))];
      if (next) { s.choose(next.key); s.board.querySelector('.selected')?.focus({ preventScroll: true }); }
      event.preventDefault();
    }
    if (event.key === 'ArrowLeft' && at >= 0 && data.rows[at].head >= 0) {
      s.choose(data.rows[data.rows[at].head].key);
      s.board.querySelector('.selected')?.focus({ preventScroll: true });
      event.preventDefault();
    }
  };
}
