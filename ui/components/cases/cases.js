// A listbox of cases. Arrow keys, Home, End and Page keys move; the server is told where the cursor stops.

function goTo(s, index, tell) {
  if (!s.rows.length) return;
  const to = Math.max(0, Math.min(s.rows.length - 1, index));
  s.nodes[s.at]?.classList.remove('at');
  s.nodes[s.at]?.setAttribute('aria-selected', 'false');
  s.at = to;
  s.nodes[to].classList.add('at');
  s.nodes[to].setAttribute('aria-selected', 'true');
  s.list.setAttribute('aria-activedescendant', s.nodes[to].id);
  const top = s.nodes[to].offsetTop - s.list.offsetTop, bottom = top + s.nodes[to].offsetHeight;
  if (top < s.list.scrollTop) s.list.scrollTop = top;
  else if (bottom > s.list.scrollTop + s.list.clientHeight) s.list.scrollTop = bottom - s.list.clientHeight;
  if (!tell) return;
  clearTimeout(s.timer);
  const message = numbered(s, { key: s.rows[s.at].key });
  s.timer = setTimeout(() => s.send('cursor', message), 120);
}

function build(s, data) {
  s.list = el('div', 'cases');
  s.list.tabIndex = 0;
  s.list.setAttribute('role', 'listbox');
  s.list.setAttribute('aria-label', 'cases; arrow keys move');
  s.list.style.maxHeight = data.height + 'px';
  s.nodes = data.rows.map((row, i) => {
    const node = el('div', 'case');
    node.id = 'case' + i;
    node.dataset.key = row.key;
    node.setAttribute('role', 'option');
    const title = el('span', 'title');
    appendVisible(title, row.title);
    node.title = visible(row.title);
    const note = el('span', 'note');
    appendVisible(note, row.note);
    node.append(el('span', row.sign === '✓' ? 'sign right' : 'sign', row.sign), title, note);
    node.onclick = () => { s.list.focus(); goTo(s, i, true); };
    return node;
  });
  s.list.append(...s.nodes);
  if (!s.nodes.length) s.list.append(el('div', 'empty', 'No case passes these filters.'));
  s.list.onkeydown = event => {
    const step = { ArrowDown: 1, ArrowUp: -1, ArrowRight: 1, ArrowLeft: -1, PageDown: 10, PageUp: -10 }[event.key];
    if (step) { event.preventDefault(); goTo(s, s.at + step, true); }
    else if (event.key === 'Home') { event.preventDefault(); goTo(s, 0, true); }
    else if (event.key === 'End') { event.preventDefault(); goTo(s, s.rows.length - 1, true); }
  };
  s.root.replaceChildren(s.list);
}

export default function ({ parentElement, data, setStateValue }) {
  const root = parentElement.querySelector('.root');
  const s = stateOf(root, () => ({ root, version: null, at: -1, told: undefined }));
  s.send = setStateValue;
  if (s.version !== data.version) {
    s.version = data.version; s.rows = data.rows; s.at = -1; s.told = undefined;
    build(s, data);
  }
  // While a later move is under way, what the server says is old: it must not pull the cursor back.
  if (answered(s, data.ack) && s.told !== data.selected) {
    s.told = data.selected;
    const index = s.rows.findIndex(row => row.key === data.selected);
    if (index >= 0 && index !== s.at) goTo(s, index, false);
  }
}
