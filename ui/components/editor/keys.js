// What each key does: a panel that is open has its own; the rest act on what is selected, or on the document.
import {
  accept,
  acceptAll,
  addMention,
  addPiece,
  alike,
  answer,
  confirmPick,
  correct,
  flip,
  join,
  jump,
  leaveChain,
  markDone,
  move,
  next,
  nudge,
  openEntity,
  openPanel,
  otherMode,
  rebound,
  reject,
  rejectAll,
  removeMention,
  removeRelation,
  retype,
  select,
  setEntity,
  setType,
  split,
  startPick,
  takeRelation,
  toggleLabel,
} from './actions.js';
import { openComment } from './comment.js';
import { chosen, isDoubted, licensed, palette, range, relationsOf, stops, suggestionOf } from './model.js';
import { edit, send } from './sending.js';

const isArrow = key => key === 'ArrowUp' || key === 'ArrowDown';
const isDelete = key => key === 'Delete' || key === 'Backspace';
const turn = (at, n, key) => (at + (key === 'ArrowDown' ? 1 : n - 1)) % n;

// Each returns false for a key that it has no use for.
const PANEL_KEYS = {
  relation(s, key) {
    const types = licensed(s, s.panel.from, s.panel.to);
    if (/^[1-9]$/.test(key) && types[key - 1]) takeRelation(s, types[key - 1].type);
    else if (isArrow(key) && types.length) s.panel.at = turn(s.panel.at, types.length, key);
    else if (key === 'Enter' && types[s.panel.at]) takeRelation(s, types[s.panel.at].type);
    else if (key === '0') s.panel.naming = true;
    else return false;
    return true;
  },
  drop(s, key) {
    const { from, to } = s.panel;
    const types = licensed(s, from, to);
    if (/^[1-9]$/.test(key) && types[key - 1]) takeRelation(s, types[key - 1].type);
    else if (key === 'c' || key === 'g') {
      s.panel = null;
      join(s, from, to, key === 'g');
    } else if (key === '0') s.panel.naming = true;
    else return false;
    return true;
  },
  arcs(s, key) {
    const own = relationsOf(s, s.selected);
    const r = own[Math.min(s.panel.at, own.length - 1)];
    if (!r) return false;
    if (isArrow(key)) s.panel.at = turn(s.panel.at, own.length, key);
    else if (key === 'Enter') retype(s, r);
    else if (key === 'f') flip(s, r);
    else if (key === 't') openComment(s, r.id);
    else if (isDelete(key)) {
      s.panel = null;
      removeRelation(s, r);
    } else return false;
    return true;
  },
  labels(s, key) {
    const labels = s.data.labelChoices;
    if (isArrow(key) && labels.length) s.panel.at = turn(s.panel.at, labels.length, key);
    else if ((key === 'Enter' || key === ' ') && labels[s.panel.at]) toggleLabel(s, labels[s.panel.at]);
    else if (key === '0') s.panel.naming = true;
    else return false;
    return true;
  },
};

const MENTION_KEYS = {
  a: (s, m) => alike(s, m),
  e: s => openEntity(s),
  n: (s, m) => setEntity(s, m.id, s.data.nil),
  u: (s, m) => setEntity(s, m.id, null),
  c: (s, m) => startPick(s, 'chain', m.id),
  g: (s, m) => startPick(s, 'merge', m.id),
  r: (s, m) => startPick(s, 'relation', m.id),
  x: (s, m) => m.cluster !== null && leaveChain(s, m),
  s: (s, m) => m.cluster !== null && split(s),
  k: (s, m) => relationsOf(s, m.id).length && openPanel(s, { kind: 'arcs', at: 0 }),
  w: (s, m) => edit(s, { kind: 'DoubtGold', target: m.id, doubted: !isDoubted(s, m.id) }),
  '.': (s, m) => nudge(s, m, 'end', 1),
  ',': (s, m) => nudge(s, m, 'end', -1),
  '>': (s, m) => nudge(s, m, 'start', 1),
  '<': (s, m) => nudge(s, m, 'start', -1),
  Delete: (s, m) => removeMention(s, m),
  Backspace: (s, m) => removeMention(s, m),
};

const SUGGESTION_KEYS = {
  Enter: (s, x) => accept(s, [x.key]),
  Delete: (s, x) => reject(s, [x.key]),
  Backspace: (s, x) => reject(s, [x.key]),
  e: s => correct(s),
};

const DOCUMENT_KEYS = {
  ArrowRight: (s, event) => move(s, 1, event.shiftKey),
  ArrowLeft: (s, event) => move(s, -1, event.shiftKey),
  ArrowDown: s => jump(s, 1),
  ArrowUp: s => jump(s, -1),
  Escape: s => leave(s),
  b: s => rebound(s),
  l: s => openPanel(s, { kind: 'labels', at: 0 }),
  t: s => openComment(s, chosen(s)?.id ?? ''),
  h: s => toggleGuideline(s),
  '+': s => addPiece(s),
  A: s => acceptAll(s),
  D: s => rejectAll(s),
  d: s => markDone(s, !s.view.done),
  q: s => next(s),
  m: s => otherMode(s),
  '?': s => toggleSheet(s),
};

export function toggleSheet(s) {
  s.sheet = !s.sheet;
  s.draw();
}

export function toggleGuideline(s) {
  s.guided = !s.guided;
  s.draw();
}

/** Escape: what was opened last is left. The place in the text is where the next arrow key goes on. */
function leave(s) {
  if (s.sheet) s.sheet = false;
  else if (s.pick) Object.assign(s, { selected: s.pick.from, pick: null });
  else if (s.panel) s.panel = null;
  else Object.assign(s, { selected: null, left: s.focus ?? s.left, anchor: null, focus: null, notice: '' });
  s.draw();
}

/** The mention or suggestion that Tab leads to; undefined at the end, where the focus leaves the editor. */
function tabStop(s, backwards) {
  const all = stops(s);
  const at = all.findIndex(x => x.key === s.selected);
  const place = range(s)?.[0] ?? s.left?.[0] ?? 0;
  const before = all.findIndex(x => x.start >= place) - (backwards ? 0 : 1);
  return all[(at >= 0 ? at : before) + (backwards ? -1 : 1)];
}

/** The type that a key gives, or a sequence of two of which the first is f; undefined where there is none. */
function typeFor(s, key) {
  const wanted = s.prefix + key;
  return palette(s).find(t => t.key && t.key === wanted)?.name;
}

const startsSequence = (s, key) => key === 'f' && !s.prefix && palette(s).some(t => t.key.startsWith('f'));

/** With Ctrl or Cmd: undo and redo. */
function historyAct(s, event) {
  const action = { z: event.shiftKey ? 'redo' : 'undo', y: 'redo' }[event.key.toLowerCase()];
  return action && (() => send(s, action));
}

/** What is open comes first: a conflict, a panel, the choice of a second mention. */
function openAct(s, key) {
  if (s.clash && (key === 'Enter' || key === 'Escape')) return () => answer(s, key === 'Enter');
  if (PANEL_KEYS[s.panel?.kind]?.(s, key)) return () => s.draw();
  if (key === 'Enter' && s.pick) return () => confirmPick(s, s.selected);
  return undefined;
}

function typeAct(s, key, m) {
  if (key === '0' && (m || range(s))) return () => openPanel(s, { kind: 'type', query: '', at: 0 });
  const type = typeFor(s, key);
  if (type) return () => setType(s, type);
  return startsSequence(s, key) ? () => s.draw() : undefined;
}

/** What a key does to the selected suggestion or mention, or to the document. */
function placeAct(s, event, m) {
  const { key } = event;
  const x = suggestionOf(s);
  if (x && SUGGESTION_KEYS[key]) return () => SUGGESTION_KEYS[key](s, x);
  if (key === 'Enter') return () => !m && addMention(s);
  if (m && MENTION_KEYS[key]) return () => MENTION_KEYS[key](s, m);
  return DOCUMENT_KEYS[key] && (() => DOCUMENT_KEYS[key](s, event));
}

/** What a key does now, as a function; undefined where it does nothing. */
function actFor(s, event) {
  if (event.ctrlKey || event.metaKey) return historyAct(s, event);
  if (event.altKey) return undefined;
  const act = openAct(s, event.key);
  if (act) return act;
  if (event.key === 'Tab') {
    const stop = tabStop(s, event.shiftKey);
    return stop && (() => select(s, stop.key));
  }
  const m = chosen(s);
  return typeAct(s, event.key, m) ?? placeAct(s, event, m);
}

export function keyed(s, event) {
  if (/^(Shift|Control|Alt|Meta)$/.test(event.key)) return;
  const act = actFor(s, event);
  const waited = s.prefix !== '';
  s.prefix = act && startsSequence(s, event.key) ? event.key : '';
  if (!act) {
    if (waited) s.draw(); // the panel no longer asks for a second key
    return;
  }
  event.preventDefault();
  event.stopPropagation();
  act();
}
