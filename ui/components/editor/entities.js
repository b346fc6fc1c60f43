// What the search for an entity offers: what fits what was written, best first, then what was written itself.

/** Names are compared without case, accents and underscores. */
const plain = text =>
  text
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .replace(/[_\s]+/gu, ' ')
    .trim()
    .toLowerCase();

/** How well a name fits what was written: the same, begins with it, holds it, holds all its words; -1 where it does not. */
function fit(name, query) {
  if (name === query) return 0;
  if (name.startsWith(query)) return 1;
  if (name.includes(query)) return 2;
  return query.split(' ').every(word => name.includes(word)) ? 3 : -1;
}

/** The choices, and whether the server is still looking for what was written. Before anything is written, the candidates
 *  stand as the model ranks them. */
export function choicesFor(s) {
  const { candidates } = s.data;
  const { query, typed } = s.panel;
  const mine = candidates.id === s.selected;
  const searching = !mine || candidates.text !== query;
  const wanted = plain(query);
  const items = mine ? candidates.items : [];
  const rated = items.map(c => ({ c, fit: typed ? fit(plain(c.entity), wanted) : 0 })).filter(one => one.fit >= 0);
  const found = rated.sort((a, b) => a.fit - b.fit).map(one => one.c);
  const isNew = query.trim() && !found.some(c => plain(c.entity) === wanted);
  return { choices: isNew ? [...found, { entity: query.trim(), note: 'new entity' }] : found, searching };
}
