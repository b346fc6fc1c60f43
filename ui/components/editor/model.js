// What the editor knows of a document, without a page: the view after edits, and what is in it.
// Offsets are code points.

const mentionOf = ({ id, start, end, type, entity, cluster }) => ({ id, start, end, type, entity, cluster });
const relationOf = ({ id, head, tail, type }) => ({ id, head, tail, type });
const byId = items => new Map(items.map(item => [item.id, item]));

/** The view as the server has it. */
export function viewOf(data) {
  const noted = [{ id: '', comment: data.comment }, ...data.mentions, ...data.relations];
  return {
    mentions: byId(data.mentions.map(mentionOf)),
    relations: byId(data.relations.map(relationOf)),
    labels: data.labels,
    comments: new Map(noted.filter(item => item.comment).map(item => [item.id, item.comment])),
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

// The same rules as in engine/data/edits, tested against each other; null is what is refused there.
const RULES = {
  AddMention(view, { id, start, end, type = null, entity = null, cluster = null }) {
    if (view.mentions.has(id)) return null;
    return { ...view, mentions: put(view.mentions, id, { id, start, end, type, entity, cluster }) };
  },
  RemoveMention(view, { id }) {
    if (!view.mentions.has(id) || view.fixed.has(id)) return null;
    return {
      ...view,
      mentions: without(view.mentions, one => one === id),
      relations: without(view.relations, (_, r) => r.head === id || r.tail === id),
    };
  },
  SetSpan(view, { id, start, end }) {
    const m = view.mentions.get(id);
    const moves = m && (m.start !== start || m.end !== end);
    return moves && view.fixed.has(id) ? null : withMention(view, id, { start, end });
  },
  SetType: (view, { id, type }) => withMention(view, id, { type }),
  SetEntity: (view, { id, entity }) => withMention(view, id, { entity }),
  SetCluster: (view, { id, cluster }) => withMention(view, id, { cluster }),
  AddRelation(view, { id, head, tail, type }) {
    if (view.relations.has(id) || !view.mentions.has(head) || !view.mentions.has(tail)) return null;
    return { ...view, relations: put(view.relations, id, { id, head, tail, type }) };
  },
  RemoveRelation(view, { id }) {
    return view.relations.has(id) ? { ...view, relations: without(view.relations, one => one === id) } : null;
  },
  SetRelationType: (view, { id, type }) => withRelation(view, id, { type }),
  SetLabel(view, { label, holds }) {
    const others = view.labels.filter(one => one !== label);
    return { ...view, labels: holds ? [...others, label] : others };
  },
  Comment(view, { target, text }) {
    const comments = without(view.comments, one => one === target);
    return { ...view, comments: text ? comments.set(target, text) : comments };
  },
  DoubtGold(view, { target, doubted = true }) {
    const others = [...view.doubted].filter(one => one !== target);
    return { ...view, doubted: new Set(doubted ? [...others, target] : others) };
  },
  Reject: view => view,
  MarkDone: (view, { done = true }) => ({ ...view, done }),
  Together(view, { edits }) {
    return edits.reduce((now, one) => now && outcome(now, one), view);
  },
};

const outcome = (view, edit) => (Object.hasOwn(RULES, edit.kind) ? RULES[edit.kind](view, edit) : null);

/** The view after an edit; the same view where the edit does not fit. The server has the last word. */
export const applied = (view, edit) => outcome(view, edit) ?? view;

/** Units the cursor moves by: words, or what a reader sees as one character. */
export function unitsOf(data, mode) {
  if (mode === 'word' && data.tokens.length) return data.tokens;
  const pieces =
    mode === 'word'
      ? Array.from(data.text.matchAll(/[\p{L}\p{N}\p{M}_]+|\s+|./gsu), m => m[0])
      : Array.from(new Intl.Segmenter(undefined, { granularity: 'grapheme' }).segment(data.text), x => x.segment);
  const units = [];
  let at = 0;
  for (const piece of pieces) {
    const length = Array.from(piece).length;
    if (mode !== 'word' || !/^\s+$/u.test(piece)) units.push([at, at + length]);
    at += length;
  }
  return units;
}

export const ordered = s => [...s.view.mentions.values()].sort((a, b) => a.start - b.start || b.end - a.end);
export const chosen = s => (s.selected && s.view.mentions.get(s.selected)) || null;
export const suggestionOf = s => s.data.suggestions.find(x => x.key === s.selected);
export const words = (s, a, b) => s.text.slice(a, b).join('');
export const chainOf = (s, cluster) => ordered(s).filter(m => m.cluster !== null && m.cluster === cluster);
export const relationsOf = (s, id) => [...s.view.relations.values()].filter(r => r.head === id || r.tail === id);
export const commentOn = (s, target) => s.view.comments.get(target) ?? '';
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

/** Relations that were seen between mentions of these types, or whose sides say nothing about types. */
export function licensed(s, head, tail) {
  const [h, t] = [s.view.mentions.get(head), s.view.mentions.get(tail)];
  const fits = (types, m) => !types.length || !m?.type || types.includes(m.type);
  return s.data.relationTypes.filter(r => fits(r.heads, h) && fits(r.tails, t));
}
