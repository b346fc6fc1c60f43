// The server sends what changed since the data that the page says it holds; here they are put together again. The
// server's end is sent.py.

const KEPT = 8;
const KEYS = { mentions: 'id', relations: 'id', suggestions: 'key' };

/** A list without what is gone, and with what was put at the places it then has. */
function patched(list, { gone, put }, key) {
  const out = new Set(gone);
  const stays = list.filter(item => !out.has(item[key]));
  const places = new Map(put);
  const found = [];
  for (let i = 0, next = 0; i < stays.length + places.size; i++) {
    found.push(places.has(i) ? places.get(i) : stays[next++]);
  }
  return found;
}

function over(base, { fields, lists, missing }) {
  const found = { ...base, ...fields };
  for (const [name, change] of Object.entries(lists)) found[name] = patched(base[name], change, KEYS[name]);
  for (const name of missing) delete found[name];
  return found;
}

/** All data, from what came and what the page had; null where the page does not have what the change is a change of.
 *  `kept`: what the page had, by stamp; data without a stamp are whole and nothing builds on them. */
export function received(kept, { stamp, over: base = null, messages, ...sent }) {
  if (stamp === undefined) return { ...sent, messages };
  if (kept.has(stamp)) return { ...kept.get(stamp), messages };
  if (base !== null && !kept.has(base)) return null;
  const data = base === null ? sent : over(kept.get(base), sent);
  kept.set(stamp, data);
  while (kept.size > KEPT) kept.delete(kept.keys().next().value);
  return { ...data, messages };
}
