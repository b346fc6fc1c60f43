// What an annotator can do, by mouse or keyboard.
import { chainOf, chosen, mark, range, repeated, standing, stops, suggestionOf, unlicensed, words } from './model.js';
import { edit, freshId, refuse, send, together } from './sending.js';
import { keepInSight, paragraphAt, reveal } from './sight.js';
import { modesOf, unitsOf } from './units.js';

// The cursor

export function select(s, key) {
  s.notice = '';
  s.selected = key;
  s.panel = null;
  const one = s.view.mentions.get(key) || s.data.suggestions.find(x => x.key === key);
  if (one) mark(s, one.start, one.end);
  s.draw();
  reveal(s);
}

/** What a link to the document is about: the mention or the suggestion there, else the text itself. */
export function land(s, start, end) {
  const there = stops(s).find(x => x.start === start && x.end === end);
  if (there) select(s, there.key);
  else {
    mark(s, start, end);
    s.draw();
  }
  keepInSight(s, 30);
}

/** The unit that a step leads to from what is marked. */
function unitFrom(units, from, step) {
  if (from === null) return units.at(step > 0 ? 0 : -1);
  if (step > 0) return units.find(u => u[0] >= from[1]) ?? units.at(-1);
  return units.findLast(u => u[1] <= from[0]) ?? units[0];
}

export function move(s, step, extend) {
  if (!s.units.length) return;
  const from = s.anchor === null ? s.left : extend ? s.focus : range(s);
  s.focus = unitFrom(s.units, from, step);
  if (!extend || s.anchor === null) s.anchor = s.focus;
  s.selected = (!extend && standing(s)?.id) || null;
  s.draw();
  reveal(s);
}

/** To the paragraph before or after. */
export function jump(s, step) {
  const place = s.focus ?? s.left;
  const at = place === null ? 0 : paragraphAt(s, place[0]) + step;
  const to = s.paragraphs[Math.max(0, Math.min(s.paragraphs.length - 1, at))];
  const unit = to && (s.units.find(u => u[0] >= to.from) ?? s.units.at(-1));
  if (!unit) return;
  mark(s, ...unit);
  s.selected = null;
  s.draw();
  reveal(s);
}

export function setMode(s, mode) {
  s.mode = mode;
  s.units = unitsOf(s.data, mode);
  s.draw();
}

export function otherMode(s) {
  const modes = modesOf(s.data.text);
  setMode(s, modes[(modes.indexOf(s.mode) + 1) % modes.length]);
}

/** Open a part of the panel, or close what is open. */
export function openPanel(s, panel) {
  s.panel = panel;
  s.draw();
}

// Mentions

export function addMention(s, type) {
  const r = range(s);
  if (!r || r[0] === r[1]) return;
  const id = freshId(s);
  s.selected = id;
  edit(s, { kind: 'AddMention', id, start: r[0], end: r[1], type: type ?? s.lastType ?? null });
}

/** Everything like this mention: what would be marked is shown on the Bulk tab. */
export function alike(s, m) {
  if (!s.data.alike) return;
  send(s, 'alike', { text: words(s, m.start, m.end), type: m.type, entity: m.entity });
}

export function removeMention(s, m) {
  s.selected = null;
  edit(s, { kind: 'RemoveMention', id: m.id });
}

export function setType(s, type) {
  s.lastType = type;
  const m = chosen(s) ?? (suggestionOf(s) ? standing(s) : null);
  if (m) edit(s, { kind: 'SetType', id: m.id, type });
  else addMention(s, type);
}

/** One edge of the mention by one unit. */
export function nudge(s, m, side, step) {
  const { units } = s;
  let { start, end } = m;
  if (side === 'end') {
    const unit = step > 0 ? units.find(u => u[1] > end) : units.findLast(u => u[1] < end && u[1] > start);
    end = unit?.[1] ?? end;
  } else {
    const unit = step > 0 ? units.find(u => u[0] > start && u[0] < end) : units.findLast(u => u[0] < start);
    start = unit?.[0] ?? start;
  }
  if (start === m.start && end === m.end) return;
  mark(s, start, end);
  edit(s, { kind: 'SetSpan', id: m.id, start, end });
}

/** The mention selected last takes the marked text as its span. */
export function rebound(s) {
  const r = range(s);
  const id = s.lastMention;
  if (!r || !id || !s.view.mentions.has(id) || chosen(s)) return;
  s.selected = id;
  edit(s, { kind: 'SetSpan', id, start: r[0], end: r[1] });
}

/** The marked text becomes one more piece of the mention selected last. */
export function addPiece(s) {
  const r = range(s);
  const m = s.view.mentions.get(s.lastMention);
  if (!r || !m || chosen(s)) return;
  const own = m.pieces.length ? m.pieces : [[m.start, m.end]];
  const pieces = [...own, r].sort((a, b) => a[0] - b[0]);
  if (pieces.some((p, i) => i && pieces[i - 1][1] > p[0])) {
    refuse(s, 'the marked text overlaps the mention; a further piece stands apart from it.');
    return;
  }
  s.selected = m.id;
  edit(s, { kind: 'SetSpan', id: m.id, start: pieces[0][0], end: pieces.at(-1)[1], pieces });
}

export const setEntity = (s, id, entity) => edit(s, { kind: 'SetEntity', id, entity });

// Entities

export function openEntity(s) {
  const m = chosen(s);
  s.panel = { kind: 'entity', query: words(s, m.start, m.end), at: 0, typed: false, entered: false };
  ask(s);
  s.draw();
}

/** Ask the server for entities by what is written in the field. */
export function ask(s) {
  const { id, start, end } = chosen(s);
  s.outbox.latest('ask', { id, start, end, text: s.panel.query }, 150);
}

/** Another entity than the suggested one: the mention is made first where there is none. */
export function correct(s) {
  const m = standing(s);
  if (m) s.selected = m.id;
  else addMention(s);
  openEntity(s);
}

// Chains

export function join(s, from, to, whole) {
  const a = s.view.mentions.get(from);
  const b = s.view.mentions.get(to);
  if (!a || !b || a.id === b.id) return;
  const cluster = b.cluster ?? freshId(s);
  const moved = whole && a.cluster !== null ? chainOf(s, a.cluster) : [a];
  const changed = [...(b.cluster === null ? [b] : []), ...moved.filter(m => m.cluster !== cluster)];
  together(
    s,
    changed.map(m => ({ kind: 'SetCluster', id: m.id, cluster })),
  );
}

export function split(s) {
  const m = chosen(s);
  const chain = chainOf(s, m.cluster);
  const cluster = freshId(s);
  const rest = chain.slice(chain.findIndex(o => o.id === m.id));
  together(
    s,
    rest.map(o => ({ kind: 'SetCluster', id: o.id, cluster })),
  );
}

export const leaveChain = (s, m) => edit(s, { kind: 'SetCluster', id: m.id, cluster: null });

/** The other mention of a chain or relation is chosen next. */
export function startPick(s, what, from) {
  s.pick = { what, from };
  s.draw();
}

export function confirmPick(s, target) {
  const { what, from } = s.pick;
  s.pick = null;
  s.selected = from;
  const source = s.view.mentions.get(from);
  if (source) mark(s, source.start, source.end);
  if (!target || target === from) s.draw();
  else if (what === 'relation') openPanel(s, { kind: 'relation', from, to: target, at: 0 });
  else join(s, from, target, what === 'merge');
}

// Relations

/** A type was chosen for two mentions, or instead of the type a relation has. */
export function takeRelation(s, type) {
  const { from, to, id } = s.panel;
  s.panel = null;
  if (id && s.view.relations.get(id)?.type === type) {
    s.draw();
    return;
  }
  // What was only read off the corpus may hold between other types too, for whoever says so.
  const why = repeated(s, from, to, type) || (s.data.defined ? unlicensed(s, from, to, type) : '');
  if (why) {
    refuse(s, why);
    return;
  }
  if (id) edit(s, { kind: 'SetRelationType', id, type });
  else edit(s, { kind: 'AddRelation', id: freshId(s), head: from, tail: to, type });
}

export const retype = (s, r) => openPanel(s, { kind: 'relation', from: r.head, to: r.tail, id: r.id, at: 0 });

export function flip(s, r) {
  s.panel = null;
  const why = repeated(s, r.tail, r.head, r.type) || unlicensed(s, r.tail, r.head, r.type);
  if (why) {
    refuse(s, why);
    return;
  }
  const turned = { kind: 'AddRelation', id: freshId(s), head: r.tail, tail: r.head, type: r.type };
  together(s, [{ kind: 'RemoveRelation', id: r.id }, turned]);
}

export function removeRelation(s, r) {
  edit(s, { kind: 'RemoveRelation', id: r.id });
}

// The document

export function toggleLabel(s, label) {
  edit(s, { kind: 'SetLabel', label, holds: !s.view.labels.includes(label) });
}

export const markDone = (s, done) => edit(s, { kind: 'MarkDone', done });

/** The document is done; the next of the queue is opened. */
export function next(s) {
  if (!s.view.done) markDone(s, true);
  send(s, 'next');
}

export function accept(s, keys) {
  if (keys.length) send(s, 'accept', { keys });
}

export function reject(s, keys) {
  if (keys.length) send(s, 'reject', { keys });
}

/** An answer to every suggestion of the document waits until the page has them all. */
function answerAll(s, say) {
  const keys = s.data.suggestions.map(x => x.key);
  if (s.data.held) refuse(s, 'suggestions are still on their way; try again in a moment.');
  else say(s, keys);
}

export const acceptAll = s => answerAll(s, accept);
export const rejectAll = s => answerAll(s, reject);

/** The answer to a clash with somebody who was first: write mine over theirs, or leave theirs. */
export function answer(s, mine) {
  const { clash } = s;
  s.answered = clash.token;
  s.clash = null;
  if (mine) edit(s, clash.edit);
  else s.draw();
}
