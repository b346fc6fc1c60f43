// Edits on their way: shown at once, kept in this browser and sent again until the server has written them down.
// Each has a client and a number, by which the server knows it: what arrives twice is done once.

const PATIENCE = [3000, 6000, 12000, 30000];

function send(s, op) {
  s.seq += 1;
  s.queue.push({ ...op, seq: s.seq, client: s.client, document: s.data.document, layer: s.data.layer, base: s.data.version });
  s.tries = 0;
  if (op.action === 'edit') s.view = applied(s.view, op.edit);
  draw(s);
  submit(s);
}
const edit = (s, one) => send(s, { action: 'edit', edit: one });
const together = (s, edits) => edits.length === 1 ? edit(s, edits[0]) : edits.length && edit(s, { kind: 'Together', edits });
const freshId = s => `${s.client}${s.seq + 1}`;

function submit(s) {
  keepUnsaved(s);
  s.sentAt = Date.now();
  // A state that did not change is not sent: the count of tries makes it another one.
  s.setState('ops', s.queue.map(op => ({ ...op, tries: s.tries })));
}

/** Called now and then: a server that was gone has forgotten what it was sent. */
function insist(s) {
  if (!s.queue.length || Date.now() - s.sentAt < PATIENCE[Math.min(s.tries, PATIENCE.length - 1)]) return;
  s.tries += 1;
  submit(s);
  drawSaved(s);
}

const placeOf = (s, client) => `${s.data.unsaved} ${client}`;
/** A browser may forbid storage; then edits are only as safe as the tab. */
function storage() { try { return window.localStorage; } catch { return null; } }

function keepUnsaved(s) {
  const store = storage();
  if (!store || !s.data.unsaved) return;
  const mine = s.queue.filter(op => op.client === s.client);
  if (mine.length) store.setItem(placeOf(s, s.client), JSON.stringify(mine));
  else store.removeItem(placeOf(s, s.client));
}

/** What an earlier tab could not deliver: sent under its own name, so nothing is done twice. */
function takeUnsaved(s) {
  const store = storage();
  if (!store || !s.data.unsaved) return;
  for (const key of Object.keys(store).filter(k => k.startsWith(`${s.data.unsaved} `) && k !== placeOf(s, s.client))) {
    try { s.queue.push(...JSON.parse(store.getItem(key))); } catch { /* written by something else under our name */ }
  }
}

/** Forget what the server has acknowledged. */
function settle(s) {
  const store = storage();
  const before = new Set(s.queue.map(op => op.client));
  s.queue = s.queue.filter(op => op.seq > (s.data.ack[op.client] ?? 0));
  for (const op of s.queue) before.delete(op.client);
  for (const client of before) store?.removeItem(placeOf(s, client));
  if (s.queue.length) keepUnsaved(s); else s.tries = 0;
  // A server that has forgotten this page is a new one: it is told at once.
  const known = s.client in s.data.ack;
  if (s.known && !known) s.sentAt = 0;
  s.known = known;
}
