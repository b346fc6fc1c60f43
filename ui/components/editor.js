// The annotation editor. Offsets are code points. An edit is shown at once and queued; the queue is sent until the server
// acknowledges it. Only paragraphs whose content changed are drawn again, so long documents stay fluid.

const KEYS = [
  ['← →', 'move by one unit; with Shift extend'], ['↑ ↓', 'previous, next paragraph'], ['Tab, Shift+Tab', 'next, previous mention'],
  ['Enter', 'make the marked text a mention; accept a suggestion; confirm a target'], ['1 … 9', 'give the type with that number (makes the mention)'],
  ['0', 'another type: write its name'], ['e', 'link to an entity: search, arrows, Enter'], ['n', 'link to NIL'], ['u', 'take the link off'], ['Delete', 'delete the mention, or reject the suggestion'],
  ['c', 'same chain as …: choose the other mention with Tab, then Enter'], ['g', 'merge the whole chain into …'], ['x', 'take out of its chain'],
  ['r', 'relation to …: choose the other mention with Tab, then Enter, then the type'], ['k', 'delete the last relation that starts here'],
  ['b', 'move the mention to the marked text'], ['t', 'comment'], ['w', 'gold is wrong here'], ['A', 'accept every suggestion of the document'],
  ['m', 'whole words or single characters'], ['Ctrl+Z, Ctrl+Y', 'undo, redo: without end, across documents'], ['Esc', 'leave'], ['?', 'these keys'],
];

const clone = view => ({ mentions: new Map(view.mentions), relations: new Map(view.relations), labels: [...view.labels] });

/** The same rules as engine/data/edits.py; the server has the last word. */
function applied(view, edit) {
  if (edit.kind === 'Together') return edit.edits.reduce(applied, view);
  const next = clone(view);
  const change = fields => { const m = next.mentions.get(edit.id); if (m) next.mentions.set(edit.id, { ...m, ...fields }); };
  switch (edit.kind) {
    case 'AddMention': next.mentions.set(edit.id, { id: edit.id, start: edit.start, end: edit.end, type: edit.type ?? null, entity: edit.entity ?? null, cluster: edit.cluster ?? null, comment: '', doubted: false }); break;
    case 'RemoveMention':
      next.mentions.delete(edit.id);
      for (const [id, r] of next.relations) if (r.head === edit.id || r.tail === edit.id) next.relations.delete(id);
      break;
    case 'SetSpan': change({ start: edit.start, end: edit.end }); break;
    case 'SetType': change({ type: edit.type }); break;
    case 'SetEntity': change({ entity: edit.entity }); break;
    case 'SetCluster': change({ cluster: edit.cluster }); break;
    case 'AddRelation': next.relations.set(edit.id, { id: edit.id, head: edit.head, tail: edit.tail, type: edit.type }); break;
    case 'RemoveRelation': next.relations.delete(edit.id); break;
    case 'SetRelationType': { const r = next.relations.get(edit.id); if (r) next.relations.set(edit.id, { ...r, type: edit.type }); break; }
    case 'SetLabel': next.labels = next.labels.filter(l => l !== edit.label).concat(edit.holds ? [edit.label] : []); break;
    case 'Comment': { const m = next.mentions.get(edit.target); if (m) next.mentions.set(edit.target, { ...m, comment: edit.text }); break; }
    case 'DoubtGold': { const m = next.mentions.get(edit.target); if (m) next.mentions.set(edit.target, { ...m, doubted: edit.doubted }); break; }
  }
  return next;
}

/** Units the cursor moves by: words, or what a reader sees as one character. */
function unitsOf(data, mode) {
  if (mode === 'word' && data.tokens.length) return data.tokens;
  const units = [];
  let at = 0;
  if (mode === 'word') {
    for (const m of data.text.matchAll(/[\p{L}\p{N}\p{M}_]+|\s+|./gsu)) {
      const length = Array.from(m[0]).length;
      if (!/^\s+$/u.test(m[0])) units.push([at, at + length]);
      at += length;
    }
    return units;
  }
  for (const { segment } of new Intl.Segmenter(undefined, { granularity: 'grapheme' }).segment(data.text)) {
    const length = Array.from(segment).length;
    units.push([at, at + length]);
    at += length;
  }
  return units;
}

function send(s, op) {
  s.seq += 1;
  s.queue.push({ ...op, seq: s.seq, client: s.client, doc: s.data.doc, base: s.data.version });
  s.setState('ops', s.queue.slice());
  if (op.action === 'edit') s.view = applied(s.view, op.edit);
  draw(s);
}
const edit = (s, one) => send(s, { action: 'edit', edit: one });
const together = (s, edits) => edits.length === 1 ? edit(s, edits[0]) : edits.length && edit(s, { kind: 'Together', edits });
const freshId = s => `${s.client}${s.seq + 1}`;

const ordered = s => [...s.view.mentions.values()].sort((a, b) => a.start - b.start || b.end - a.end);
const chosen = s => s.selected && s.view.mentions.get(s.selected);
const suggestionOf = s => s.data.suggestions.find(x => x.key === s.selected);
const words = (s, a, b) => s.text.slice(a, b).join('');

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
  if (one) { s.anchor = one.start; s.focus = one.end; }
  draw(s);
  reveal(s);
}

function reveal(s) {
  const index = s.paragraphs.findIndex(p => s.focus <= p.to);
  const node = s.paragraphs[Math.max(0, index)]?.node;
  if (!node) return;
  const box = node.getBoundingClientRect(), frame = s.page.getBoundingClientRect();
  if (box.top < frame.top + 8 || box.bottom > frame.bottom - 8) s.page.scrollTop += box.top - frame.top - frame.height / 3;
}

const range = s => s.anchor === null ? null : [Math.min(s.anchor, s.focus), Math.max(s.anchor, s.focus)];

function move(s, step, extend) {
  const units = s.units;
  if (!units.length) return;
  const at = s.anchor === null ? (step > 0 ? -1 : units.length) : extend
    ? (s.focus > s.anchor ? units.findLastIndex(u => u[1] <= s.focus) : units.findIndex(u => u[0] >= s.focus))
    : units.findLastIndex(u => u[0] <= Math.min(s.anchor, s.focus));
  if (extend && s.anchor !== null) {
    const [low, high] = range(s);
    if (step > 0) { const u = units.find(u => u[1] > high); if (u) { s.anchor = low; s.focus = u[1]; } }
    else { const inside = units.filter(u => u[0] >= low && u[1] <= high); if (inside.length > 1) { s.anchor = low; s.focus = inside[inside.length - 2][1]; } }
  } else {
    const to = Math.max(0, Math.min(units.length - 1, at + step));
    [s.anchor, s.focus] = units[to];
  }
  s.selected = null;
  const exact = range(s) && ordered(s).find(m => m.start === range(s)[0] && m.end === range(s)[1]);
  if (exact && !extend) s.selected = exact.id;
  draw(s);
  reveal(s);
}

function jump(s, step) {
  const at = s.paragraphs.findIndex(p => (s.anchor ?? 0) <= p.to);
  const to = s.paragraphs[Math.max(0, Math.min(s.paragraphs.length - 1, at + step))];
  const unit = to && s.units.find(u => u[0] >= to.from);
  if (unit) { [s.anchor, s.focus] = unit; s.selected = null; draw(s); reveal(s); }
}

function addMention(s, type) {
  const r = range(s);
  if (!r || r[0] === r[1]) return;
  const id = freshId(s);
  s.selected = id;
  edit(s, { kind: 'AddMention', id, start: r[0], end: r[1], type: type ?? s.lastType ?? null });
}

function setType(s, type) {
  s.lastType = type;
  const m = chosen(s);
  if (m) edit(s, { kind: 'SetType', id: m.id, type });
  else addMention(s, type);
}

const chainOf = (s, cluster) => ordered(s).filter(m => m.cluster !== null && m.cluster === cluster);

function join(s, from, to, whole) {
  const a = s.view.mentions.get(from), b = s.view.mentions.get(to);
  if (!a || !b || a.id === b.id) return;
  const cluster = b.cluster ?? freshId(s);
  const edits = b.cluster === null ? [{ kind: 'SetCluster', id: b.id, cluster }] : [];
  const moved = whole && a.cluster !== null ? chainOf(s, a.cluster) : [a];
  for (const m of moved) if (m.cluster !== cluster) edits.push({ kind: 'SetCluster', id: m.id, cluster });
  together(s, edits);
}

function licensed(s, head, tail) {
  const h = s.view.mentions.get(head), t = s.view.mentions.get(tail);
  return s.data.relationTypes.filter(r => (!r.heads.length || !h?.type || r.heads.includes(h.type)) && (!r.tails.length || !t?.type || r.tails.includes(t.type)));
}

function confirmPick(s, target) {
  const { what, from } = s.pick;
  s.pick = null;
  const source = s.view.mentions.get(from);
  s.selected = from;
  if (source) { s.anchor = source.start; s.focus = source.end; }
  if (!target || target === from) { draw(s); return; }
  if (what === 'chain') join(s, from, target, false);
  else if (what === 'merge') join(s, from, target, true);
  else { s.panel = { kind: 'relation', from, to: target, at: 0 }; draw(s); }
}

function addRelation(s, from, to, type) {
  s.panel = null;
  edit(s, { kind: 'AddRelation', id: freshId(s), head: from, tail: to, type });
}

function keyed(s, event) {
  const key = event.key, m = chosen(s), suggestion = suggestionOf(s);
  const done = () => { event.preventDefault(); event.stopPropagation(); };
  if ((event.ctrlKey || event.metaKey) && key.toLowerCase() === 'z') { done(); send(s, { action: event.shiftKey ? 'redo' : 'undo' }); return; }
  if ((event.ctrlKey || event.metaKey) && key.toLowerCase() === 'y') { done(); send(s, { action: 'redo' }); return; }
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (s.panel && s.panel.kind === 'relation') {
    const types = licensed(s, s.panel.from, s.panel.to);
    if (/^[1-9]$/.test(key) && types[key - 1]) { done(); addRelation(s, s.panel.from, s.panel.to, types[key - 1].type); }
    else if (key === 'ArrowDown' || key === 'ArrowUp') { done(); s.panel.at = (s.panel.at + (key === 'ArrowDown' ? 1 : types.length - 1)) % types.length; draw(s); }
    else if (key === 'Enter' && types[s.panel.at]) { done(); addRelation(s, s.panel.from, s.panel.to, types[s.panel.at].type); }
    else if (key === '0') { done(); s.panel.naming = true; draw(s); }
    else if (key === 'Escape') { done(); s.panel = null; draw(s); }
    return;
  }
  if (key === 'Tab') {
    const all = stops(s);
    if (!all.length) return;
    const at = all.findIndex(x => x.key === s.selected);
    const from = at >= 0 ? at : all.findIndex(x => x.start >= (s.anchor ?? 0)) - (event.shiftKey ? 0 : 1);
    const to = from + (event.shiftKey ? -1 : 1);
    if (to < 0 || to >= all.length) return; // let the focus leave
    done(); select(s, all[to].key);
  }
  else if (key === 'ArrowRight' || key === 'ArrowLeft') { done(); move(s, key === 'ArrowRight' ? 1 : -1, event.shiftKey); }
  else if (key === 'ArrowDown' || key === 'ArrowUp') { done(); jump(s, key === 'ArrowDown' ? 1 : -1); }
  else if (key === 'Escape') { done(); if (s.sheet) s.sheet = false; else if (s.pick) { s.selected = s.pick.from; s.pick = null; } else { s.selected = null; s.panel = null; } draw(s); }
  else if (key === 'Enter') { done(); if (s.pick) confirmPick(s, s.selected); else if (suggestion) accept(s, [suggestion.key]); else if (!m) addMention(s); }
  else if (key === 'Delete' || key === 'Backspace') { done(); if (suggestion) reject(s, [suggestion.key]); else if (m) { s.selected = null; edit(s, { kind: 'RemoveMention', id: m.id }); } }
  else if (key === '0' && (m || range(s))) { done(); s.panel = { kind: 'type' }; draw(s); }
  else if (/^[1-9]$/.test(key) && s.data.types[key - 1]) { done(); setType(s, s.data.types[key - 1]); }
  else if (key === 'e' && m) { done(); openEntity(s); }
  else if (key === 'n' && m) { done(); edit(s, { kind: 'SetEntity', id: m.id, entity: s.data.nil }); }
  else if (key === 'u' && m) { done(); edit(s, { kind: 'SetEntity', id: m.id, entity: null }); }
  else if ((key === 'c' || key === 'g' || key === 'r') && m) { done(); s.pick = { what: { c: 'chain', g: 'merge', r: 'relation' }[key], from: m.id }; draw(s); }
  else if (key === 'x' && m && m.cluster !== null) { done(); edit(s, { kind: 'SetCluster', id: m.id, cluster: null }); }
  else if (key === 'k' && m) { const last = [...s.view.relations.values()].filter(r => r.head === m.id).pop(); if (last) { done(); edit(s, { kind: 'RemoveRelation', id: last.id }); } }
  else if (key === 'b') { done(); rebound(s); }
  else if (key === 't' && m) { done(); s.panel = { kind: 'comment' }; draw(s); }
  else if (key === 'w' && m) { done(); edit(s, { kind: 'DoubtGold', target: m.id, doubted: !m.doubted }); }
  else if (key === 'A') { done(); accept(s, s.data.suggestions.map(x => x.key)); }
  else if (key === 'm') { done(); setMode(s, s.mode === 'word' ? 'character' : 'word'); }
  else if (key === '?') { done(); s.sheet = !s.sheet; draw(s); }
}

/** The mention selected last takes the marked text as its span. */
function rebound(s) {
  const r = range(s), id = s.lastMention;
  if (r && id && s.view.mentions.has(id) && !chosen(s)) { s.selected = id; edit(s, { kind: 'SetSpan', id, start: r[0], end: r[1] }); }
}

const accept = (s, keys) => keys.length && send(s, { action: 'accept', keys });
const reject = (s, keys) => keys.length && send(s, { action: 'reject', keys });
function setMode(s, mode) { s.mode = mode; s.units = unitsOf(s.data, mode); draw(s); }

function openEntity(s) {
  const m = chosen(s);
  s.panel = { kind: 'entity', query: words(s, m.start, m.end), at: 0 };
  ask(s);
  draw(s);
}
function ask(s) {
  clearTimeout(s.timer);
  s.timer = setTimeout(() => s.setState('query', { id: s.selected, text: s.panel?.query ?? '', start: chosen(s)?.start, end: chosen(s)?.end }), 150);
}

// Drawing

const colourOf = (s, name) => {
  if (!s.colours.has(name)) s.colours.set(name, s.colours.size % 6);
  return `var(--c${s.colours.get(name)})`;
};
const numberOf = (s, cluster) => s.numbers.get(cluster);
const shade = (s, m) => colourOf(s, m.cluster !== null ? 'chain ' + m.cluster : 'type ' + (m.type ?? ''));

function chip(s, m, suggested) {
  const node = el('span', 'chip');
  const parts = suggested
    ? ['? ' + (m.kind === 'coreference' ? '= ' + words(s, m.other[0], m.other[1]) : m.kind === 'relation' ? m.value + ' → ' + words(s, m.other[0], m.other[1]) : m.value), m.score === null ? '' : percent(m.score) + ' %']
    : [m.cluster !== null ? '#' + numberOf(s, m.cluster) : '', m.type ?? '', m.entity === null ? '' : m.entity === s.data.nil ? 'NIL' : m.entity, m.comment ? '✎' : '', m.doubted ? '⚠ gold wrong' : ''];
  appendVisible(node, parts.filter(Boolean).join(' · ') || 'mention');
  const key = suggested ? m.key : m.id;
  node.style.setProperty('--colour', suggested ? 'var(--declined)' : shade(s, m));
  node.classList.toggle('suggested', suggested);
  node.classList.toggle('selected', s.selected === key);
  node.dataset.key = key;
  node.title = visible(node.textContent);
  node.onclick = event => { event.stopPropagation(); s.page.focus(); if (s.pick && !suggested) confirmPick(s, key); else select(s, key); };
  if (!suggested) {
    node.draggable = true;
    node.ondragstart = event => { event.dataTransfer.setData('text/plain', key); s.dragged = key; };
    node.ondragover = event => { if (s.dragged && s.dragged !== key) { event.preventDefault(); node.classList.add('target'); } };
    node.ondragleave = () => node.classList.remove('target');
    node.ondrop = event => { event.preventDefault(); node.classList.remove('target'); s.panel = { kind: 'drop', from: s.dragged, to: key }; s.selected = s.dragged; s.dragged = null; draw(s); };
  }
  return node;
}

function drawParagraph(s, p, mentions, offers) {
  const r = range(s);
  const here = mentions.filter(m => m.start < p.to && m.end > p.from);
  const dots = offers.filter(x => x.kind !== 'label' && x.start < p.to && x.end > p.from);
  const mark = r && r[0] < p.to && r[1] > p.from ? r : null;
  const signature = JSON.stringify([here, dots, mark, s.selected, here.map(m => m.cluster === null ? 0 : numberOf(s, m.cluster))]);
  if (p.signature === signature) return;
  p.signature = signature;
  const rowed = [];
  for (const m of [...here].sort((a, b) => (a.end - a.start) - (b.end - b.start))) {
    let row = 0;
    while (rowed.some(o => o.row === row && o.m.start < m.end && m.start < o.m.end)) row++;
    rowed.push({ m, row });
  }
  const rows = rowed.reduce((most, o) => Math.max(most, o.row + 1), 0);
  p.node.style.setProperty('--rows', rows);
  const edges = [...new Set([p.from, p.to, ...here.concat(dots).flatMap(m => [Math.max(p.from, m.start), Math.min(p.to, m.end)]), ...(mark || []).map(x => Math.max(p.from, Math.min(p.to, x)))])].sort((a, b) => a - b);
  const nodes = [];
  for (let i = 0; i + 1 < edges.length; i++) {
    const [a, b] = [edges[i], edges[i + 1]];
    const node = el('span', 'seg');
    node.dataset.start = a;
    appendVisible(node, words(s, a, b));
    const covering = rowed.filter(o => o.m.start <= a && b <= o.m.end);
    const layers = covering.map(o => [`linear-gradient(${shade(s, o.m)},${shade(s, o.m)})`, `0 calc(100% - ${(rows - 1 - o.row) * 6}px)`, '100% 3px']);
    node.style.backgroundImage = layers.map(l => l[0]).join(',');
    node.style.backgroundPosition = layers.map(l => l[1]).join(',');
    node.style.backgroundSize = layers.map(l => l[2]).join(',');
    if (mark && mark[0] <= a && b <= mark[1]) node.classList.add(s.selected ? 'selected' : 'cursor');
    if (covering.length) node.onclick = event => {
      if (!getSelection()?.isCollapsed) return;
      event.stopPropagation();
      const inner = [...covering].sort((x, y) => (x.m.end - x.m.start) - (y.m.end - y.m.start)).map(o => o.m.id);
      const next = inner[(inner.indexOf(s.selected) + 1) % inner.length];
      if (s.pick) confirmPick(s, next); else select(s, next);
    };
    nodes.push(node);
    for (const o of covering.filter(o => Math.min(o.m.end, p.to) === b && o.m.end <= p.to)) nodes.push(chip(s, o.m, false));
    for (const x of dots.filter(x => x.end === b)) nodes.push(chip(s, x, true));
  }
  p.node.replaceChildren(...nodes);
}

function button(s, key, label, act) {
  const node = el('button', 'plain-button', label + ' ');
  if (key) node.append(el('kbd', '', key));
  node.onclick = () => { act(); s.page.focus(); };
  return node;
}

function item(s, at, label, note, act) {
  const node = el('li', at ? 'at' : '');
  const name = el('span');
  appendVisible(name, label);
  node.append(name, el('span', 'note', note));
  node.onclick = () => { act(); s.page.focus(); };
  return node;
}

function quote(s, a, b) {
  const node = el('div', 'quote');
  appendVisible(node, words(s, a, b));
  return node;
}

function drawWhy(s) {
  const why = s.why, m = chosen(s), x = suggestionOf(s);
  const parts = [];
  const heading = text => parts.push(el('h3', '', text));
  if (s.pick) {
    const from = s.view.mentions.get(s.pick.from);
    heading({ chain: 'Same chain as …', merge: 'Merge its chain into …', relation: 'Relation to …' }[s.pick.what]);
    if (from) parts.push(quote(s, from.start, from.end));
    parts.push(el('div', 'mode', 'Go to the other mention with Tab or click it, then Enter. Esc leaves.'));
  } else if (s.panel?.kind === 'relation' || s.panel?.kind === 'drop') {
    const { from, to } = s.panel, types = licensed(s, from, to), a = s.view.mentions.get(from), b = s.view.mentions.get(to);
    if (a && b) {
      heading(s.panel.kind === 'drop' ? 'What holds between them?' : 'Which relation?');
      parts.push(quote(s, a.start, a.end), quote(s, b.start, b.end));
      const list = el('ul', 'list');
      if (s.panel.kind === 'drop') list.append(item(s, false, 'same chain', '', () => { s.panel = null; join(s, from, to, false); }), item(s, false, 'merge the chains', '', () => { s.panel = null; join(s, from, to, true); }));
      types.forEach((t, i) => list.append(item(s, s.panel.kind === 'relation' && i === s.panel.at, t.type, i < 9 ? String(i + 1) : '', () => addRelation(s, from, to, t.type))));
      parts.push(list);
      if (!types.length) parts.push(el('div', 'mode', 'No relation was seen between these types before.'));
      if (s.panel.naming || !types.length) parts.push(named(s, 'name of the relation', '', type => addRelation(s, from, to, type)));
      else parts.push(button(s, '0', 'Another relation', () => { s.panel.naming = true; drawWhy(s); }));
    }
  } else if (s.panel?.kind === 'type') {
    heading('Which type?');
    const r = m ? [m.start, m.end] : range(s);
    if (r) parts.push(quote(s, r[0], r[1]));
    parts.push(named(s, 'name of the type', m?.type ?? '', type => { s.panel = null; setType(s, type); }));
  } else if (x) {
    heading('Suggested by the model');
    parts.push(quote(s, x.start, x.end), chip(s, x, true));
    const row = el('div', 'row');
    row.append(button(s, 'Enter', 'Accept', () => accept(s, [x.key])), button(s, 'Del', 'Reject', () => reject(s, [x.key])));
    parts.push(row);
  } else if (m) {
    heading('Mention');
    parts.push(quote(s, m.start, m.end));
    const types = el('div', 'row');
    s.data.types.forEach((type, i) => { const b = button(s, i < 9 ? String(i + 1) : '', type, () => setType(s, type)); if (m.type === type) b.style.borderColor = 'var(--st-primary-color)'; types.append(b); });
    types.append(button(s, '0', 'other', () => { s.panel = { kind: 'type' }; draw(s); }));
    parts.push(types);
    if (s.panel?.kind === 'entity') drawEntity(s, parts);
    else {
      const links = el('div', 'row');
      links.append(button(s, 'e', m.entity === null ? 'Link' : 'Change the link', () => openEntity(s)), button(s, 'n', 'NIL', () => edit(s, { kind: 'SetEntity', id: m.id, entity: s.data.nil })));
      if (m.entity !== null) links.append(button(s, 'u', 'No link', () => edit(s, { kind: 'SetEntity', id: m.id, entity: null })));
      parts.push(links);
    }
    const acts = el('div', 'row');
    const pick = what => () => { s.pick = { what, from: m.id }; draw(s); };
    acts.append(button(s, 'c', 'Same chain as', pick('chain')), button(s, 'r', 'Relation to', pick('relation')));
    if (m.cluster !== null) acts.append(button(s, 'g', 'Merge chain into', pick('merge')), button(s, 'x', 'Out of chain', () => edit(s, { kind: 'SetCluster', id: m.id, cluster: null })));
    acts.append(button(s, 't', 'Comment', () => { s.panel = { kind: 'comment' }; draw(s); }), button(s, 'w', m.doubted ? 'Gold is right' : 'Gold is wrong', () => edit(s, { kind: 'DoubtGold', target: m.id, doubted: !m.doubted })), button(s, 'Del', 'Delete', () => { s.selected = null; edit(s, { kind: 'RemoveMention', id: m.id }); }));
    parts.push(acts);
    if (s.panel?.kind === 'comment') parts.push(named(s, 'comment', m.comment, text => { s.panel = null; edit(s, { kind: 'Comment', target: m.id, text }); }));
    else if (m.comment) { const note = el('div', 'quote'); appendVisible(note, m.comment); parts.push(note); }
    if (m.cluster !== null) {
      const chain = chainOf(s, m.cluster);
      heading(`Chain #${numberOf(s, m.cluster)}, ${chain.length} mentions`);
      const list = el('ul', 'list');
      chain.forEach(o => list.append(item(s, o.id === m.id, words(s, o.start, o.end), '', () => select(s, o.id))));
      parts.push(list);
    }
    const own = [...s.view.relations.values()].filter(r => r.head === m.id || r.tail === m.id);
    if (own.length) {
      heading('Relations');
      const list = el('ul', 'list');
      for (const r of own) {
        const other = s.view.mentions.get(r.head === m.id ? r.tail : r.head);
        const node = item(s, false, (r.head === m.id ? `${r.type} → ` : `← ${r.type} `) + (other ? words(s, other.start, other.end) : ''), '', () => other && select(s, other.id));
        node.lastChild.replaceWith(button(s, '', 'delete', () => edit(s, { kind: 'RemoveRelation', id: r.id })));
        list.append(node);
      }
      parts.push(list);
    }
  } else {
    heading('Nothing selected');
    parts.push(el('div', 'mode', 'Mark text with the mouse or with Shift and arrows, then Enter. Click a mention to change it. ? shows all keys.'));
    if (s.data.labelChoices.length) {
      heading('Labels of the document');
      const row = el('div', 'row');
      for (const label of s.data.labelChoices) {
        const on = s.view.labels.includes(label);
        const node = button(s, '', (on ? '✓ ' : '') + label, () => edit(s, { kind: 'SetLabel', label, holds: !on }));
        node.setAttribute('aria-pressed', on);
        row.append(node);
      }
      parts.push(row);
    }
    if (s.data.suggestions.length) {
      heading(`${s.data.suggestions.length} suggestions of the model`);
      const list = el('ul', 'list');
      s.data.suggestions.slice(0, 60).forEach(x => list.append(item(s, false, `${x.kind === 'label' ? '' : words(s, x.start, x.end) + ': '}${x.value || 'same chain'}`, x.score === null ? '' : percent(x.score) + ' %', () => select(s, x.key))));
      parts.push(list, button(s, 'A', 'Accept all', () => accept(s, s.data.suggestions.map(x => x.key))));
    }
  }
  const focused = why.querySelector('input:focus');
  const caret = focused && [focused.selectionStart, focused.selectionEnd];
  why.replaceChildren(...parts);
  const input = why.querySelector('input');
  if (input) { input.focus({ preventScroll: true }); if (caret) input.setSelectionRange(...caret); else input.select(); }
}

function drawEntity(s, parts) {
  const found = s.data.candidates.id === s.selected ? s.data.candidates.items : [];
  const choices = found.concat(s.panel.query && !found.some(c => c.entity === s.panel.query) ? [{ entity: s.panel.query, note: 'new entity' }] : []);
  const choose = c => { s.panel = null; edit(s, { kind: 'SetEntity', id: s.selected, entity: c.entity }); s.page.focus(); };
  const input = el('input');
  input.value = s.panel.query;
  input.setAttribute('aria-label', 'search for an entity');
  input.oninput = () => { s.panel.query = input.value; s.panel.at = 0; ask(s); drawWhy(s); };
  input.onkeydown = event => {
    event.stopPropagation();
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') { event.preventDefault(); s.panel.at = Math.max(0, Math.min(choices.length - 1, s.panel.at + (event.key === 'ArrowDown' ? 1 : -1))); drawWhy(s); }
    else if (event.key === 'Enter' && choices[s.panel.at]) { event.preventDefault(); choose(choices[s.panel.at]); }
    else if (event.key === 'Escape') { s.panel = null; draw(s); s.page.focus(); }
  };
  const list = el('ul', 'list');
  choices.forEach((c, i) => list.append(item(s, i === s.panel.at, c.entity, c.note, () => choose(c))));
  parts.push(input, list);
}

/** One line of text: Enter takes it, Escape leaves it. */
function named(s, label, value, take) {
  const input = el('input');
  input.value = value;
  input.placeholder = label;
  input.setAttribute('aria-label', label);
  input.onkeydown = event => {
    event.stopPropagation();
    if (event.key === 'Enter' && (input.value.trim() || label === 'comment')) { take(input.value.trim()); s.page.focus(); }
    else if (event.key === 'Escape') { s.panel = null; draw(s); s.page.focus(); }
  };
  return input;
}

/** Arcs of the selected mention, or of all while there are few. */
function drawArcs(s) {
  s.arcs.replaceChildren();
  const all = [...s.view.relations.values()].filter(r => !chosen(s) ? s.view.relations.size <= 40 : r.head === s.selected || r.tail === s.selected);
  if (!all.length) return;
  const base = s.page.getBoundingClientRect();
  const place = id => { const node = s.page.querySelector(`[data-key="${CSS.escape(id)}"]`); if (!node) return null; const b = node.getBoundingClientRect(); return { x: b.left - base.left + b.width / 2, y: b.top - base.top + s.page.scrollTop }; };
  s.arcs.style.height = s.page.scrollHeight + 'px';
  for (const r of all) {
    const a = place(r.head), b = place(r.tail);
    if (!a || !b) continue;
    const lift = 14 + Math.min(30, Math.abs(a.x - b.x) / 10);
    s.arcs.append(svg('path', { d: `M${a.x},${a.y} C${a.x},${a.y - lift} ${b.x},${b.y - lift} ${b.x},${b.y}`, fill: 'none', stroke: 'var(--muted)', 'stroke-width': 1.2 }));
    s.arcs.append(svg('circle', { cx: b.x, cy: b.y, r: 2.5, fill: 'var(--muted)' }));
    const label = svg('text', { x: (a.x + b.x) / 2, y: Math.min(a.y, b.y) - lift * .6, 'text-anchor': 'middle', 'font-size': 10, fill: 'var(--muted)' });
    label.textContent = r.type;
    s.arcs.append(label);
  }
}

function drawSheet(s) {
  s.host.querySelector('.sheet')?.remove();
  if (!s.sheet) return;
  const sheet = el('div', 'sheet');
  sheet.append(el('h3', '', 'Keys'));
  const table = el('table');
  for (const [keys, what] of KEYS) { const tr = el('tr'); const td = el('td'); td.append(el('kbd', '', keys)); tr.append(td, el('td', '', what)); table.append(tr); }
  sheet.append(table);
  s.host.append(sheet);
}

function draw(s) {
  if (chosen(s)) s.lastMention = s.selected;
  const mentions = ordered(s);
  s.numbers = new Map();
  for (const m of mentions) if (m.cluster !== null && !s.numbers.has(m.cluster)) s.numbers.set(m.cluster, s.numbers.size + 1);
  for (const p of s.paragraphs) drawParagraph(s, p, mentions, s.data.suggestions);
  drawWhy(s);
  drawArcs(s);
  drawSheet(s);
  s.saved.textContent = s.queue.length ? `saving ${s.queue.length} …` : s.data.saved;
  s.modeButton.firstChild.textContent = s.mode === 'word' ? 'whole words ' : 'single characters ';
}

/** Code-point offset of a place of the native selection. */
function offsetAt(s, container, offset) {
  const element = container instanceof Element ? container : container.parentElement;
  const segment = element?.closest('.seg');
  if (!segment) return null;
  let at = Number(segment.dataset.start);
  for (const node of segment.childNodes) {
    if (node === container || node.contains(container)) return node.nodeType === Node.TEXT_NODE ? at + Array.from(node.data.slice(0, offset)).length : at;
    at += node.nodeType === Node.TEXT_NODE ? Array.from(node.data).length : 1;
  }
  return at;
}

function marked(s) {
  const root = s.page.getRootNode();
  const selection = root.getSelection ? root.getSelection() : getSelection();
  if (!selection || selection.isCollapsed || !selection.anchorNode) return;
  const ends = [offsetAt(s, selection.anchorNode, selection.anchorOffset), offsetAt(s, selection.focusNode, selection.focusOffset)];
  if (ends.includes(null) || ends[0] === ends[1]) return;
  let [a, b] = [Math.min(...ends), Math.max(...ends)];
  const inside = s.units.filter(u => u[0] < b && u[1] > a);
  if (inside.length) { a = inside[0][0]; b = inside[inside.length - 1][1]; }
  selection.removeAllRanges();
  s.anchor = a; s.focus = b; s.selected = null; s.panel = null;
  draw(s);
}

function build(s) {
  s.page = el('div', 'page');
  s.page.tabIndex = 0;
  s.page.setAttribute('role', 'application');
  s.page.setAttribute('aria-label', 'annotation editor; press ? for the keys');
  s.page.onkeydown = event => { if (!isTyping(event)) keyed(s, event); };
  s.page.onmouseup = () => marked(s);
  s.page.onclick = () => { if (getSelection()?.isCollapsed && !s.pick && (s.selected || s.panel)) { s.selected = null; s.panel = null; draw(s); } };
  s.arcs = svg('svg', { class: 'arcs', width: '100%' });
  s.paragraphs = s.data.paragraphs.map(([from, to]) => { const node = el('div', 'paragraph'); node.dir = 'auto'; return { from, to, node, signature: null }; });
  s.page.append(s.arcs, ...s.paragraphs.map(p => p.node));
  const tools = el('div', 'tools');
  s.modeButton = button(s, 'm', 'whole words', () => setMode(s, s.mode === 'word' ? 'character' : 'word'));
  s.saved = el('span', 'saved');
  s.saved.setAttribute('aria-live', 'polite');
  tools.append(button(s, 'Ctrl+Z', 'Undo', () => send(s, { action: 'undo' })), button(s, 'Ctrl+Y', 'Redo', () => send(s, { action: 'redo' })), s.modeButton, button(s, '?', 'Keys', () => { s.sheet = !s.sheet; draw(s); }), s.saved);
  s.why = el('div', 'why');
  s.host = el('div', 'host');
  s.host.append(s.page);
  const desk = el('div', 'desk');
  desk.append(s.host, s.why);
  s.alert = el('div');
  s.alert.setAttribute('role', 'alert');
  s.root.replaceChildren(s.alert, tools, desk);
}

export default function ({ parentElement, data, setStateValue }) {
  const root = parentElement.querySelector('.root');
  const s = stateOf(root, () => ({
    root, client: 'n' + Math.random().toString(36).slice(2, 8) + '-', seq: 0, queue: [], selected: null, anchor: null, focus: null,
    mode: 'word', pick: null, panel: null, sheet: false, colours: new Map(), lastType: null, lastMention: null, doc: null,
  }));
  s.setState = setStateValue;
  const fresh = s.doc !== data.doc;
  s.data = data;
  s.queue = s.queue.filter(op => op.seq > (data.ack[s.client] ?? 0));
  if (fresh) {
    s.doc = data.doc; s.text = Array.from(data.text); s.units = unitsOf(data, s.mode);
    s.selected = null; s.anchor = null; s.focus = null; s.pick = null; s.panel = null;
    build(s);
  }
  // While edits are under way the page is ahead of the server; what the server has, plus those, is what is shown.
  s.view = { mentions: new Map(data.mentions.map(m => [m.id, m])), relations: new Map(data.relations.map(r => [r.id, r])), labels: data.labels };
  for (const op of s.queue) if (op.action === 'edit' && op.doc === data.doc) s.view = applied(s.view, op.edit);
  if (s.selected && !s.view.mentions.has(s.selected) && !data.suggestions.some(x => x.key === s.selected)) s.selected = null;
  s.alert.className = data.message ? 'message' : '';
  s.alert.textContent = data.message ?? '';
  draw(s);
  if (fresh) s.page.focus({ preventScroll: true });
}
