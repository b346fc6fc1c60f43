// A listbox of cases. Arrow keys, Home, End and Page keys move; the server is told where the cursor stops. Beyond the
// ends of a page the neighbouring page is asked for.
import { el, visible, visibleEl } from '../shared/dom.js';
import { claimFocus, takeFocus } from '../shared/focus.js';
import { outboxOf } from '../shared/messages.js';
import { count } from '../shared/numbers.js';
import { stateOf } from '../shared/state.js';

const STEPS = { ArrowDown: 1, ArrowUp: -1, ArrowRight: 1, ArrowLeft: -1, PageDown: 10, PageUp: -10 };

function goTo(s, index, tell) {
  if (!s.rows.length) return;
  const to = Math.max(0, Math.min(s.rows.length - 1, index));
  const node = s.nodes[to];
  s.nodes[s.at]?.classList.remove('at');
  s.nodes[s.at]?.setAttribute('aria-selected', 'false');
  s.at = to;
  node.classList.add('at');
  node.setAttribute('aria-selected', 'true');
  s.list.setAttribute('aria-activedescendant', node.id);
  const top = node.offsetTop - s.list.offsetTop;
  const bottom = top + node.offsetHeight;
  if (top < s.list.scrollTop) s.list.scrollTop = top;
  else if (bottom > s.list.scrollTop + s.list.clientHeight) s.list.scrollTop = bottom - s.list.clientHeight;
  if (tell) s.outbox.latest('select', { id: s.rows[s.at].key }, 120);
}

/** To a case of another page: the server sends that page, and the keyboard goes on there. */
function leaf(s, key) {
  if (!key) return;
  claimFocus('cases');
  s.outbox.latest('select', { id: key });
}

function caseOf(s, row, i) {
  const node = el('div', 'case');
  node.id = 'case' + i;
  node.dataset.key = row.key;
  node.setAttribute('role', 'option');
  node.title = visible(row.title);
  node.append(
    el('span', row.sign === '✓' ? 'sign right' : 'sign', row.sign),
    visibleEl('span', 'title', row.title),
    visibleEl('span', 'note', row.note),
  );
  node.onclick = () => {
    s.list.focus();
    goTo(s, i, true);
  };
  return node;
}

function keyed(s, event) {
  const to = { Home: 0, End: s.rows.length - 1 }[event.key] ?? s.at + (STEPS[event.key] ?? NaN);
  if (Number.isNaN(to)) return;
  event.preventDefault();
  if (s.at === s.rows.length - 1 && to > s.at && s.page.after) leaf(s, s.page.after);
  else if (s.at === 0 && to < 0 && s.page.before) leaf(s, s.page.before);
  else goTo(s, to, true);
}

function leafButton(s, text, name, key) {
  const button = el('button', 'plain-button', text);
  button.type = 'button';
  button.disabled = !key;
  button.setAttribute('aria-label', name);
  button.onclick = () => leaf(s, key);
  return button;
}

function pager(s) {
  const { first, of, before, after } = s.page;
  const box = el('div', 'pager');
  box.append(
    leafButton(s, '‹', 'earlier cases', before),
    el('span', '', `${count(first + 1)}–${count(first + s.rows.length)} of ${count(of)}`),
    leafButton(s, '›', 'later cases', after),
  );
  return box;
}

function build(s, data) {
  // A list that has the keyboard keeps it when its cases are others.
  if (s.list && s.root.getRootNode().activeElement === s.list) claimFocus('cases');
  s.list = el('div', 'cases');
  s.list.tabIndex = 0;
  s.list.setAttribute('role', data.rows.length ? 'listbox' : 'group');
  s.list.setAttribute('aria-label', 'cases; arrow keys move');
  s.list.style.maxHeight = data.height + 'px';
  s.nodes = data.rows.map((row, i) => caseOf(s, row, i));
  s.list.append(...s.nodes);
  if (!s.nodes.length) s.list.append(el('div', 'empty', 'No case passes these filters.'));
  s.list.onkeydown = event => keyed(s, event);
  s.root.replaceChildren(s.list, ...(s.page.of > s.rows.length ? [pager(s)] : []));
}

export default function cases({ parentElement, data, setStateValue }) {
  const s = stateOf(parentElement, root => ({ root, version: null, at: -1, told: undefined }));
  outboxOf(s, data, setStateValue);
  if (s.version !== data.version) {
    const { version, rows, first, of, before, after } = data;
    Object.assign(s, { version, rows, page: { first, of, before, after }, at: -1, told: undefined });
    build(s, data);
    // Not at an update that still shows what was there before the click.
    if (takeFocus('cases')) s.list.focus();
  }
  // While a later move is under way, what the server says is old: it must not pull the cursor back.
  if (s.outbox.settled && s.told !== data.selected) {
    s.told = data.selected;
    const index = s.rows.findIndex(row => row.key === data.selected);
    if (index >= 0 && index !== s.at) goTo(s, index, false);
  }
}
