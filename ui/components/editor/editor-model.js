// What the editor knows of a document, without a page: the view after edits, and the units the cursor moves by.
// Offsets are code points.

const clone = view => ({ ...view, mentions: new Map(view.mentions), relations: new Map(view.relations) });

/** The same rules as engine/data/edits.py; the server has the last word. */
function applied(view, edit) {
  if (edit.kind === 'Together') return edit.edits.reduce(applied, view);
  const next = clone(view);
  const change = (id, fields) => {
    for (const kind of [next.mentions, next.relations]) if (kind.has(id)) kind.set(id, { ...kind.get(id), ...fields });
  };
  switch (edit.kind) {
    case 'AddMention':
      next.mentions.set(edit.id, {
        id: edit.id, start: edit.start, end: edit.end, type: edit.type ?? null, entity: edit.entity ?? null,
        cluster: edit.cluster ?? null, comment: '', doubted: false,
      });
      break;
    case 'RemoveMention':
      next.mentions.delete(edit.id);
      for (const [id, r] of next.relations) if (r.head === edit.id || r.tail === edit.id) next.relations.delete(id);
      break;
    case 'SetSpan': change(edit.id, { start: edit.start, end: edit.end }); break;
    case 'SetType': change(edit.id, { type: edit.type }); break;
    case 'SetEntity': change(edit.id, { entity: edit.entity }); break;
    case 'SetCluster': change(edit.id, { cluster: edit.cluster }); break;
    case 'AddRelation':
      next.relations.set(edit.id, { id: edit.id, head: edit.head, tail: edit.tail, type: edit.type, comment: '' });
      break;
    case 'RemoveRelation': next.relations.delete(edit.id); break;
    case 'SetRelationType': change(edit.id, { type: edit.type }); break;
    case 'SetLabel':
      next.labels = next.labels.filter(l => l !== edit.label).concat(edit.holds ? [edit.label] : []);
      break;
    case 'Comment':
      if (edit.target === '') next.comment = edit.text;
      else change(edit.target, { comment: edit.text });
      break;
    case 'DoubtGold': change(edit.target, { doubted: edit.doubted }); break;
    case 'MarkDone': next.done = edit.done; break;
  }
  return next;
}

/** Units the cursor moves by: words, or what a reader sees as one character. */
function unitsOf(data, mode) {
  if (mode === 'word' && data.tokens.length) return data.tokens;
  const pieces = mode === 'word'
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

const ordered = s => [...s.view.mentions.values()].sort((a, b) => a.start - b.start || b.end - a.end);
const chosen = s => (s.selected && s.view.mentions.get(s.selected)) || null;
const suggestionOf = s => s.data.suggestions.find(x => x.key === s.selected);
const words = (s, a, b) => s.text.slice(a, b).join('');
const chainOf = (s, cluster) => ordered(s).filter(m => m.cluster !== null && m.cluster === cluster);
const relationsOf = (s, id) => [...s.view.relations.values()].filter(r => r.head === id || r.tail === id);

/** What is marked: from the unit where marking began to the unit it has reached, either way round. */
const range = s => s.anchor === null ? null : [Math.min(s.anchor[0], s.focus[0]), Math.max(s.anchor[1], s.focus[1])];
function mark(s, start, end) { s.anchor = [start, end]; s.focus = [start, end]; }

/** A stretch of text widened to whole units, without the blanks at its ends; null where nothing is left. */
function snapped(s, a, b, units) {
  const inside = units.filter(u => u[0] < b && u[1] > a);
  if (inside.length) { a = Math.min(a, inside[0][0]); b = Math.max(b, inside[inside.length - 1][1]); }
  while (a < b && /^\s$/u.test(s.text[a])) a++;
  while (b > a && /^\s$/u.test(s.text[b - 1])) b--;
  return a < b ? [a, b] : null;
}

/** Relations that were seen between mentions of these types, or whose sides say nothing about types. */
function licensed(s, head, tail) {
  const h = s.view.mentions.get(head), t = s.view.mentions.get(tail);
  const fits = (types, m) => !types.length || !m?.type || types.includes(m.type);
  return s.data.relationTypes.filter(r => fits(r.heads, h) && fits(r.tails, t));
}
