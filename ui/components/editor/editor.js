// The annotation editor: what each key and each event does. Its parts are the editor-*.js beside it.

const KEYS = [
  ['← →', 'move by one unit; with Shift extend'], ['↑ ↓', 'previous, next paragraph'], ['Tab, Shift+Tab', 'next, previous mention or suggestion'],
  ['Enter', 'make the marked text a mention; accept a suggestion; confirm a target'], ['1 … 9', 'give the type with that number (makes the mention)'],
  ['0', 'another type: write its name'], ['. ,', 'end of the mention one unit to the right, to the left'], ['> <', 'start of the mention one unit to the right, to the left'],
  ['b', 'move the mention selected last to the marked text'], ['Delete', 'delete the mention, or reject the suggestion'],
  ['e', 'link to an entity: search, arrows, Enter'], ['n', 'link to NIL'], ['u', 'take the link off'],
  ['c', 'same chain as …: choose the other mention with Tab, then Enter'], ['g', 'merge the whole chain into …'], ['x', 'take out of its chain'],
  ['s', 'split the chain: this mention and those after it'], ['r', 'relation to …: choose the other mention with Tab, then Enter, then the type'],
  ['k', 'relations of the mention: arrows, then Enter for another type, f to turn round, t to comment, Delete'],
  ['l', 'labels of the document: arrows, Enter; 0 for a new one'], ['t', 'comment on the mention, or on the document where none is selected'],
  ['w', 'gold is wrong here'], ['A', 'accept every suggestion of the document'], ['D', 'reject every suggestion of the document'],
  ['d', 'the document is done, or not yet'], ['q', 'the document is done; open the next of the queue'], ['[ ]', 'previous, next document'],
  ['m', 'whole words or single characters (with the mouse also: hold Alt)'], ['Ctrl+Z, Ctrl+Y', 'undo, redo: without end, across documents'], ['Esc', 'leave'], ['?', 'these keys'],
];

/** Stops of Tab: mentions and suggestions in text order. */
function stops(s) {
  const found = ordered(s).map(m => ({ key: m.id, start: m.start, end: m.end }));
  if (!s.pick) for (const x of s.data.suggestions) found.push({ key: x.key, start: x.start, end: x.end });
  return found.sort((a, b) => a.start - b.start || b.end - a.end);
}

function select(s, key) {
  s.selected = key;
  s.panel = null;
  const one = s.view.mentions.get(key) || s.data.suggestions.find(x => x.key === key);
  if (one) mark(s, one.start, one.end);
  draw(s);
  reveal(s);
}

/** What a link to the document is about: the mention or the suggestion there, else the text itself. */
function land(s, start, end) {
  const there = stops(s).find(x => x.start === start && x.end === end);
  if (there) select(s, there.key);
  else { mark(s, start, end); draw(s); }
  keepInSight(s, 30);
}

/** For so many frames: paragraphs out of sight take the height that is guessed for them only after they were drawn, and
 * what stands below them moves. */
function keepInSight(s, frames) {
  reveal(s);
  if (frames) requestAnimationFrame(() => keepInSight(s, frames - 1));
}

function move(s, step, extend) {
  const units = s.units;
  if (!units.length) return;
  const from = s.anchor === null ? null : extend ? s.focus : range(s);
  const unit = from === null ? units[step > 0 ? 0 : units.length - 1]
    : step > 0 ? units.find(u => u[0] >= from[1]) ?? units.at(-1) : units.findLast(u => u[1] <= from[0]) ?? units[0];
  s.focus = unit;
  if (!extend || s.anchor === null) s.anchor = unit;
  s.selected = null;
  const r = range(s), exact = !extend && ordered(s).find(m => m.start === r[0] && m.end === r[1]);
  if (exact) s.selected = exact.id;
  draw(s);
  reveal(s);
}

function jump(s, step) {
  const at = s.anchor === null ? -1 : paragraphAt(s, s.focus[0]);
  const to = s.paragraphs[Math.max(0, Math.min(s.paragraphs.length - 1, s.anchor === null ? 0 : at + step))];
  const unit = to && (s.units.find(u => u[0] >= to.from) ?? s.units.at(-1));
  if (unit) { mark(s, ...unit); s.selected = null; draw(s); reveal(s); }
}

function addMention(s, type) {
  const r = range(s);
  if (!r || r[0] === r[1]) return;
  const id = freshId(s);
  s.selected = id;
  edit(s, { kind: 'AddMention', id, start: r[0], end: r[1], type: type ?? s.lastType ?? null });
}

function removeMention(s, m) { s.selected = null; edit(s, { kind: 'RemoveMention', id: m.id }); }

/** The mention that stands where a suggestion is made, if there is one. */
const standing = s => { const r = range(s); return r && ordered(s).find(m => m.start === r[0] && m.end === r[1]); };

function setType(s, type) {
  s.lastType = type;
  const m = chosen(s) ?? (suggestionOf(s) ? standing(s) : null);
  if (m) edit(s, { kind: 'SetType', id: m.id, type });
  else addMention(s, type);
}

/** One edge of the mention by one unit. */
function nudge(s, m, side, step) {
  const units = s.units;
  let { start, end } = m;
  if (side === 'end') end = (step > 0 ? units.find(u => u[1] > end) : units.findLast(u => u[1] < end && u[1] > start))?.[1] ?? end;
  else start = (step > 0 ? units.find(u => u[0] > start && u[0] < end) : units.findLast(u => u[0] < start))?.[0] ?? start;
  if (start === m.start && end === m.end) return;
  mark(s, start, end);
  edit(s, { kind: 'SetSpan', id: m.id, start, end });
}

/** The mention selected last takes the marked text as its span. */
function rebound(s) {
  const r = range(s), id = s.lastMention;
  if (r && id && s.view.mentions.has(id) && !chosen(s)) { s.selected = id; edit(s, { kind: 'SetSpan', id, start: r[0], end: r[1] }); }
}

function join(s, from, to, whole) {
  const a = s.view.mentions.get(from), b = s.view.mentions.get(to);
  if (!a || !b || a.id === b.id) return;
  const cluster = b.cluster ?? freshId(s);
  const edits = b.cluster === null ? [{ kind: 'SetCluster', id: b.id, cluster }] : [];
  const moved = whole && a.cluster !== null ? chainOf(s, a.cluster) : [a];
  for (const m of moved) if (m.cluster !== cluster) edits.push({ kind: 'SetCluster', id: m.id, cluster });
  together(s, edits);
}

function split(s) {
  const m = chosen(s), chain = chainOf(s, m.cluster), cluster = freshId(s);
  together(s, chain.slice(chain.findIndex(o => o.id === m.id)).map(o => ({ kind: 'SetCluster', id: o.id, cluster })));
}

function confirmPick(s, target) {
  const { what, from } = s.pick;
  s.pick = null;
  const source = s.view.mentions.get(from);
  s.selected = from;
  if (source) mark(s, source.start, source.end);
  if (!target || target === from) draw(s);
  else if (what === 'relation') { s.panel = { kind: 'relation', from, to: target, at: 0 }; draw(s); }
  else join(s, from, target, what === 'merge');
}

/** A type was chosen for two mentions, or instead of the type a relation has. */
function takeRelation(s, type) {
  const { from, to, id } = s.panel;
  s.panel = null;
  if (id) edit(s, { kind: 'SetRelationType', id, type });
  else edit(s, { kind: 'AddRelation', id: freshId(s), head: from, tail: to, type });
}

function retype(s, r) { s.panel = { kind: 'relation', from: r.head, to: r.tail, id: r.id, at: 0 }; draw(s); }

function flip(s, r) {
  s.panel = null;
  together(s, [{ kind: 'RemoveRelation', id: r.id }, { kind: 'AddRelation', id: freshId(s), head: r.tail, tail: r.head, type: r.type }]);
}

function toggleLabel(s, label) { edit(s, { kind: 'SetLabel', label, holds: !s.view.labels.includes(label) }); }

function next(s) {
  if (!s.view.done) edit(s, { kind: 'MarkDone', done: true });
  send(s, { action: 'next' });
}

const accept = (s, keys) => keys.length && send(s, { action: 'accept', keys });
const reject = (s, keys) => keys.length && send(s, { action: 'reject', keys });
function setMode(s, mode) { s.mode = mode; s.units = unitsOf(s.data, mode); draw(s); }

/** Another entity than the suggested one: the mention is made first where there is none. */
function correct(s) {
  const m = standing(s);
  if (m) s.selected = m.id; else addMention(s);
  openEntity(s);
}

function openEntity(s) {
  const m = chosen(s);
  s.panel = { kind: 'entity', query: words(s, m.start, m.end), at: 0 };
  ask(s);
  draw(s);
}
function ask(s) {
  clearTimeout(s.asking);
  s.asking = setTimeout(() => s.setState('query', { id: s.selected, text: s.panel?.query ?? '', start: chosen(s)?.start, end: chosen(s)?.end }), 150);
}

// Keys: a panel that is open has its own; the rest act on what is selected, or on the document.

const turn = (at, n, key) => (at + (key === 'ArrowDown' ? 1 : n - 1)) % n;

const PANEL_KEYS = {
  relation(s, key) {
    const types = licensed(s, s.panel.from, s.panel.to);
    if (/^[1-9]$/.test(key) && types[key - 1]) takeRelation(s, types[key - 1].type);
    else if (/^Arrow(Up|Down)$/.test(key) && types.length) s.panel.at = turn(s.panel.at, types.length, key);
    else if (key === 'Enter' && types[s.panel.at]) takeRelation(s, types[s.panel.at].type);
    else if (key === '0') s.panel.naming = true;
    else return false;
    return true;
  },
  drop(s, key) {
    const { from, to } = s.panel, types = licensed(s, from, to);
    if (/^[1-9]$/.test(key) && types[key - 1]) takeRelation(s, types[key - 1].type);
    else if (key === 'c' || key === 'g') { s.panel = null; join(s, from, to, key === 'g'); }
    else if (key === '0') s.panel.naming = true;
    else return false;
    return true;
  },
  arcs(s, key) {
    const own = relationsOf(s, s.selected), r = own[Math.min(s.panel.at, own.length - 1)];
    if (!r) return false;
    if (/^Arrow(Up|Down)$/.test(key)) s.panel.at = turn(s.panel.at, own.length, key);
    else if (key === 'Enter') retype(s, r);
    else if (key === 'f') flip(s, r);
    else if (key === 't') s.panel = { kind: 'comment', target: r.id };
    else if (key === 'Delete' || key === 'Backspace') { s.panel = null; edit(s, { kind: 'RemoveRelation', id: r.id }); }
    else return false;
    return true;
  },
  labels(s, key) {
    const labels = s.data.labelChoices;
    if (/^Arrow(Up|Down)$/.test(key) && labels.length) s.panel.at = turn(s.panel.at, labels.length, key);
    else if ((key === 'Enter' || key === ' ') && labels[s.panel.at]) toggleLabel(s, labels[s.panel.at]);
    else if (key === '0') s.panel.naming = true;
    else return false;
    return true;
  },
};

const MENTION_KEYS = {
  e: s => openEntity(s),
  n: (s, m) => edit(s, { kind: 'SetEntity', id: m.id, entity: s.data.nil }),
  u: (s, m) => edit(s, { kind: 'SetEntity', id: m.id, entity: null }),
  c: (s, m) => { s.pick = { what: 'chain', from: m.id }; draw(s); },
  g: (s, m) => { s.pick = { what: 'merge', from: m.id }; draw(s); },
  r: (s, m) => { s.pick = { what: 'relation', from: m.id }; draw(s); },
  x: (s, m) => m.cluster !== null && edit(s, { kind: 'SetCluster', id: m.id, cluster: null }),
  s: (s, m) => m.cluster !== null && split(s),
  k: (s, m) => { if (relationsOf(s, m.id).length) { s.panel = { kind: 'arcs', at: 0 }; draw(s); } },
  w: (s, m) => edit(s, { kind: 'DoubtGold', target: m.id, doubted: !m.doubted }),
  '.': (s, m) => nudge(s, m, 'end', 1), ',': (s, m) => nudge(s, m, 'end', -1),
  '>': (s, m) => nudge(s, m, 'start', 1), '<': (s, m) => nudge(s, m, 'start', -1),
  Delete: (s, m) => removeMention(s, m), Backspace: (s, m) => removeMention(s, m),
};

const DOCUMENT_KEYS = {
  ArrowRight: (s, event) => move(s, 1, event.shiftKey), ArrowLeft: (s, event) => move(s, -1, event.shiftKey),
  ArrowDown: s => jump(s, 1), ArrowUp: s => jump(s, -1),
  b: s => rebound(s),
  l: s => { s.panel = { kind: 'labels', at: 0 }; draw(s); },
  t: s => { s.panel = { kind: 'comment', target: chosen(s)?.id ?? '' }; draw(s); },
  A: s => accept(s, s.data.suggestions.map(x => x.key)), D: s => reject(s, s.data.suggestions.map(x => x.key)),
  d: s => edit(s, { kind: 'MarkDone', done: !s.view.done }), q: s => next(s),
  m: s => setMode(s, s.mode === 'word' ? 'character' : 'word'),
  '?': s => { s.sheet = !s.sheet; draw(s); },
};

function keyed(s, event) {
  const key = event.key, m = chosen(s), suggestion = suggestionOf(s);
  const done = () => { event.preventDefault(); event.stopPropagation(); };
  if (event.ctrlKey || event.metaKey) {
    const action = { z: event.shiftKey ? 'redo' : 'undo', y: 'redo' }[key.toLowerCase()];
    if (action) { done(); send(s, { action }); }
    return;
  }
  if (event.altKey) return;
  if (s.clash && (key === 'Enter' || key === 'Escape')) { done(); answer(s, key === 'Enter'); return; }
  if (PANEL_KEYS[s.panel?.kind]?.(s, key)) { done(); draw(s); return; }
  if (key === 'Tab') {
    const all = stops(s);
    const at = all.findIndex(x => x.key === s.selected);
    const from = at >= 0 ? at : all.findIndex(x => x.start >= (range(s)?.[0] ?? 0)) - (event.shiftKey ? 0 : 1);
    const to = from + (event.shiftKey ? -1 : 1);
    if (to < 0 || to >= all.length) return; // let the focus leave
    done();
    select(s, all[to].key);
  } else if (key === 'Escape') {
    done();
    if (s.sheet) s.sheet = false;
    else if (s.pick) { s.selected = s.pick.from; s.pick = null; }
    else if (s.panel) s.panel = null;
    else { s.selected = null; s.anchor = null; s.focus = null; }
    draw(s);
  } else if (key === 'Enter') {
    done();
    if (s.pick) confirmPick(s, s.selected); else if (suggestion) accept(s, [suggestion.key]); else if (!m) addMention(s);
  } else if (suggestion && (key === 'Delete' || key === 'Backspace')) { done(); reject(s, [suggestion.key]); }
  else if (key === '0' && (m || range(s))) { done(); s.panel = { kind: 'type' }; draw(s); }
  else if (/^[1-9]$/.test(key) && s.data.types[key - 1]) { done(); setType(s, s.data.types[key - 1]); }
  else if (suggestion && key === 'e') { done(); correct(s); }
  else if (m && MENTION_KEYS[key]) { done(); MENTION_KEYS[key](s, m); }
  else if (DOCUMENT_KEYS[key]) { done(); DOCUMENT_KEYS[key](s, event); }
}

function draw(s) {
  if (chosen(s)) s.lastMention = s.selected;
  s.numbers = new Map();
  for (const m of ordered(s)) if (m.cluster !== null && !s.numbers.has(m.cluster)) s.numbers.set(m.cluster, s.numbers.size + 1);
  drawAlert(s);
  s.page.classList.toggle('arced', s.view.relations.size > 0);
  drawText(s);
  drawPanel(s);
  drawArcs(s);
  drawSheet(s);
  drawSaved(s);
  s.modeButton.firstChild.textContent = s.mode === 'word' ? 'whole words ' : 'single characters ';
}

function build(s) {
  s.page = el('div', 'page');
  s.page.tabIndex = 0;
  s.page.setAttribute('role', 'application');
  s.page.setAttribute('aria-label', 'annotation editor; press ? for the keys');
  s.page.onkeydown = event => { if (!isTyping(event)) keyed(s, event); };
  s.page.onpointerdown = () => { s.justMarked = false; s.marking = true; };
  s.page.onpointermove = event => { if (s.resizing) resize(s, event); };
  s.page.onpointerup = () => { if (s.resizing) resized(s); };
  s.page.onpointercancel = () => { s.resizing = null; draw(s); };
  s.page.onclick = () => { if (!s.justMarked && !s.pick && (s.selected || s.panel)) { s.selected = null; s.panel = null; draw(s); } };
  s.arcs = svg('svg', { class: 'arcs', width: '100%' });
  s.paragraphs = s.data.paragraphs.map(([from, to]) => { const node = el('div', 'paragraph'); node.dir = 'auto'; return { from, to, node, signature: null }; });
  s.page.append(s.arcs, ...s.paragraphs.map(p => p.node));
  const tools = el('div', 'tools');
  s.modeButton = button(s, 'm', 'whole words', () => setMode(s, s.mode === 'word' ? 'character' : 'word'));
  s.saved = el('span', 'saved');
  s.saved.setAttribute('aria-live', 'polite');
  tools.append(
    button(s, 'Ctrl+Z', 'Undo', () => send(s, { action: 'undo' })), button(s, 'Ctrl+Y', 'Redo', () => send(s, { action: 'redo' })),
    s.modeButton, button(s, '?', 'Keys', () => { s.sheet = !s.sheet; draw(s); }), s.saved,
  );
  s.why = el('div', 'why');
  s.desk = el('div', 'desk');
  s.desk.append(s.page, s.why);
  s.alert = el('div');
  s.alert.setAttribute('role', 'alert');
  s.root.replaceChildren(s.alert, tools, s.desk);
}

export default function ({ parentElement, data, setStateValue }) {
  const root = parentElement.querySelector('.root');
  const s = stateOf(root, () => ({
    root, client: 'n' + Math.random().toString(36).slice(2, 8) + '-', seq: 0, queue: [], tries: 0, sentAt: 0, selected: null,
    anchor: null, focus: null, mode: 'word', pick: null, panel: null, sheet: false, clash: null, answered: null, colours: new Map(),
    lastType: null, lastMention: null, resizing: null, marking: false, justMarked: false, doc: null, landed: null, unsaved: null, timer: null,
  }));
  s.setState = setStateValue;
  const fresh = s.doc !== data.doc;
  s.data = data;
  if (data.cookie && data.user) document.cookie = `${data.cookie}=${encodeURIComponent(data.user)}; path=/; max-age=31536000; samesite=strict`;
  if (s.unsaved !== data.unsaved) { s.unsaved = data.unsaved; takeUnsaved(s); }
  settle(s);
  if (fresh) {
    s.doc = data.doc; s.text = Array.from(data.text); s.units = unitsOf(data, s.mode); s.graphemes = null;
    s.selected = null; s.anchor = null; s.focus = null; s.pick = null; s.panel = null;
    build(s);
  }
  // While edits are under way the page is ahead of the server; what the server has, plus those, is what is shown.
  s.view = {
    mentions: new Map(data.mentions.map(m => [m.id, m])), relations: new Map(data.relations.map(r => [r.id, r])),
    labels: data.labels, comment: data.comment, done: data.done,
  };
  for (const op of s.queue) if (op.action === 'edit' && op.document === data.document && op.layer === data.layer) s.view = applied(s.view, op.edit);
  if (s.selected && !s.view.mentions.has(s.selected) && !data.suggestions.some(x => x.key === s.selected)) s.selected = null;
  if (!s.resizing) draw(s);
  if (fresh) s.page.focus({ preventScroll: true });
  if (data.place && (fresh || String(data.place) !== s.landed)) land(s, ...data.place);
  s.landed = String(data.place);
  s.timer ??= setInterval(() => insist(s), 500);
  // On the window: marking that began in the text may end beside it.
  const deaf = listen(s, 'mouseup', event => {
    if (s.marking && !s.justMarked) takeSelection(s, event.altKey);
    s.marking = false;
  });
  return () => { deaf(); clearInterval(s.timer); s.timer = null; };
}
