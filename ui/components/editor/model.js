// What the editor knows of a document, without a page: the view after edits, and what is in it.
// Offsets are code points.

const mentionOf = ({ id, start, end, type, entity, cluster, pieces }) => ({
  id,
  start,
  end,
  type,
  entity,
  cluster,
  pieces,
});

/** Mentions are never changed, only replaced, so one that the server sent once is made once: what was worked out about it
 *  is kept with it. */
const made = new WeakMap();
function mentionMade(sent) {
  if (!made.has(sent)) made.set(sent, mentionOf(sent));
  return made.get(sent);
}

const relationOf = ({ id, head, tail, type }) => ({ id, head, tail, type });
const byId = items => new Map(items.map(item => [item.id, item]));

/** The view as the server has it. */
export function viewOf(data) {
  return {
    mentions: byId(data.mentions.map(mentionMade)),
    relations: byId(data.relations.map(relationOf)),
    labels: data.labels,
    comments: new Map(data.comments),
    resolved: new Set(data.resolved),
    agreed: new Map(data.agreed),
    doubted: new Set(data.mentions.filter(m => m.doubted).map(m => m.id)),
    done: data.done,
    fixed: new Set(data.fixed),
  };
}

const put = (map, id, item) => new Map(map).set(id, item);
const without = (map, gone) => new Map([...map].filter(([id, item]) => !gone(id, item)));

/** The view with some fields of a mention changed; null where there is no such mention. */
function withMention(view, id, fields) {
  const m = view.mentions.get(id);
  return m ? { ...view, mentions: put(view.mentions, id, { ...m, ...fields }) } : null;
}

function withRelation(view, id, fields) {
  const r = view.relations.get(id);
  return r ? { ...view, relations: put(view.relations, id, { ...r, ...fields }) } : null;
}

/** Whether the pieces of a mention follow each other from its start to its end; it may have none. */
function fitting(start, end, pieces) {
  const ends = pieces.flat();
  if (!ends.length) return true;
  const rises = ends.every((place, i) => !i || ends[i - 1] <= place);
  return pieces.length > 1 && rises && ends[0] === start && ends.at(-1) === end;
}

/** Whether the relation holds already between these two. */
export const isThere = (view, head, tail, type) =>
  [...view.relations.values()].some(r => r.head === head && r.tail === tail && r.type === type);

// The same rules as in engine/data/edits, tested against each other; null is what is refused there.
const RULES = {
  AddMention(view, { id, start, end, type = null, entity = null, cluster = null, pieces = [] }) {
    if (view.mentions.has(id) || !fitting(start, end, pieces)) return null;
    return { ...view, mentions: put(view.mentions, id, { id, start, end, type, entity, cluster, pieces }) };
  },
  RemoveMention(view, { id }) {
    if (!view.mentions.has(id) || view.fixed.has(id)) return null;
    return {
      ...view,
      mentions: without(view.mentions, one => one === id),
      relations: without(view.relations, (_, r) => r.head === id || r.tail === id),
      agreed: without(view.agreed, one => one === id),
    };
  },
  SetSpan(view, { id, start, end, pieces = [] }) {
    const m = view.mentions.get(id);
    const moves = m && (m.start !== start || m.end !== end);
    if ((moves && view.fixed.has(id)) || !fitting(start, end, pieces)) return null;
    return withMention(view, id, { start, end, pieces });
  },
  SetType: (view, { id, type }) => withMention(view, id, { type }),
  SetEntity: (view, { id, entity }) => withMention(view, id, { entity }),
  SetCluster: (view, { id, cluster }) => withMention(view, id, { cluster }),
  AddRelation(view, { id, head, tail, type }) {
    if (view.relations.has(id) || !view.mentions.has(head) || !view.mentions.has(tail)) return null;
    if (isThere(view, head, tail, type)) return null;
    return { ...view, relations: put(view.relations, id, { id, head, tail, type }) };
  },
  RemoveRelation(view, { id }) {
    if (!view.relations.has(id)) return null;
    const gone = one => one === id;
    return { ...view, relations: without(view.relations, gone), agreed: without(view.agreed, gone) };
  },
  SetRelationType(view, { id, type }) {
    const r = view.relations.get(id);
    return r && r.type !== type && isThere(view, r.head, r.tail, type) ? null : withRelation(view, id, { type });
  },
  SetLabel(view, { label, holds }) {
    const others = view.labels.filter(one => one !== label);
    return { ...view, labels: holds ? [...others, label] : others };
  },
  Comment(view, { target, text, id = '', author = '', time = '' }) {
    const thread = view.comments.get(target) ?? [];
    const said = { id, text, author, time };
    const known = thread.some(one => one.id === id);
    const changed = thread.map(one => (one.id === id ? said : one)).filter(one => one.text);
    const now = known || !text ? changed : [...thread, said];
    const comments = without(view.comments, one => one === target);
    return { ...view, comments: now.length ? comments.set(target, now) : comments };
  },
  Resolve(view, { target, resolved = true }) {
    const others = [...view.resolved].filter(one => one !== target);
    return { ...view, resolved: new Set(resolved ? [...others, target] : others) };
  },
  Settle: view => view,
  Credit(view, { target, by }) {
    const agreed = without(view.agreed, one => one === target);
    return { ...view, agreed: by.length ? agreed.set(target, by) : agreed };
  },
  DoubtGold(view, { target, doubted = true }) {
    const others = [...view.doubted].filter(one => one !== target);
    return { ...view, doubted: new Set(doubted ? [...others, target] : others) };
  },
  Reject: view => view,
  MarkDone: (view, { done = true }) => ({ ...view, done }),
  DefineLabels: view => view,
  Together(view, { edits }) {
    return edits.reduce((now, one) => now && outcome(now, one), view);
  },
};

const outcome = (view, edit) => (Object.hasOwn(RULES, edit.kind) ? RULES[edit.kind](view, edit) : null);

/** The view after an edit; the same view where the edit does not fit. The server has the last word. */
export const applied = (view, edit) => outcome(view, edit) ?? view;

export const ordered = s => [...s.view.mentions.values()].sort((a, b) => a.start - b.start || b.end - a.end);
export const chosen = s => (s.selected && s.view.mentions.get(s.selected)) || null;
export const suggestionOf = s => s.data.suggestions.find(x => x.key === s.selected);
export const words = (s, a, b) => s.text.slice(a, b).join('');
export const chainOf = (s, cluster) => ordered(s).filter(m => m.cluster !== null && m.cluster === cluster);
export const relationsOf = (s, id) => [...s.view.relations.values()].filter(r => r.head === id || r.tail === id);
export const threadOn = (s, target) => s.view.comments.get(target) ?? [];
/** Whether somebody waits for an answer there. */
export const isAsked = (s, target) => threadOn(s, target).length > 0 && !s.view.resolved.has(target);
export const isDoubted = (s, id) => s.view.doubted.has(id);

/** Stops of Tab: mentions and suggestions in text order. */
export function stops(s) {
  const found = ordered(s).map(m => ({ key: m.id, start: m.start, end: m.end }));
  if (!s.pick) for (const x of s.data.suggestions) found.push({ key: x.key, start: x.start, end: x.end });
  return found.sort((a, b) => a.start - b.start || b.end - a.end);
}

/** What is marked: from the unit where marking began to the unit it has reached, either way round. */
export function range(s) {
  return s.anchor === null ? null : [Math.min(s.anchor[0], s.focus[0]), Math.max(s.anchor[1], s.focus[1])];
}

export function mark(s, start, end) {
  s.anchor = [start, end];
  s.focus = [start, end];
}

/** The mention whose span is exactly what is marked. */
export function standing(s) {
  const r = range(s);
  return r && ordered(s).find(m => m.start === r[0] && m.end === r[1]);
}

/** A stretch of text widened to whole units, without the blanks at its ends; null where nothing is left. */
export function snapped(s, from, to, units) {
  const inside = units.filter(u => u[0] < to && u[1] > from);
  let a = Math.min(from, inside[0]?.[0] ?? from);
  let b = Math.max(to, inside.at(-1)?.[1] ?? to);
  while (a < b && /^\s$/u.test(s.text[a])) a++;
  while (b > a && /^\s$/u.test(s.text[b - 1])) b--;
  return a < b ? [a, b] : null;
}

/** Whether a relation may hold from a mention of one type to one of the other. */
export function licenses(relation, head, tail) {
  const fits = (types, type) => !types.length || type === null || types.includes(type);
  const holds = (a, b) => fits(relation.heads, a) && fits(relation.tails, b);
  return holds(head, tail) || (relation.symmetric && holds(tail, head));
}

/** Relations that may hold between these two mentions. */
export function licensed(s, head, tail) {
  const types = [head, tail].map(id => s.view.mentions.get(id)?.type ?? null);
  return s.data.relationTypes.filter(r => !r.deprecated && licenses(r, ...types));
}

/** Why a relation would be said twice; empty where it would not. */
export function repeated(s, head, tail, type) {
  if (isThere(s.view, head, tail, type)) return `${type} is there already between these two.`;
  const known = s.data.relationTypes.find(r => r.type === type);
  if (known?.symmetric && isThere(s.view, tail, head, type)) return `${type} is there already, and it is symmetric.`;
  return '';
}

/** Why a relation may not hold between these two; empty where it may, or where nothing is known of it. */
export function unlicensed(s, head, tail, type) {
  const known = s.data.relationTypes.find(r => r.type === type);
  if (!known) return '';
  const types = [head, tail].map(id => s.view.mentions.get(id)?.type ?? null);
  if (licenses(known, ...types)) return '';
  const side = names => names.join(' or ') || 'anything';
  const had = types.map(one => one ?? 'no type').join(' to ');
  return `${type} holds from ${side(known.heads)} to ${side(known.tails)}, not from ${had}.`;
}

/** The types that can be given. */
export const palette = s => s.data.types.filter(t => !t.deprecated);
