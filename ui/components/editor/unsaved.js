// Edits that the server has not acknowledged are kept in this browser: they survive a closed tab and a crash.

const placeOf = (name, client) => `${name} ${client}`;

/** A browser may forbid storage; then edits are only as safe as the tab. */
function storage() {
  try {
    return window.localStorage;
  } catch {
    return null;
  }
}

export class Unsaved {
  constructor() {
    /** What storage is called for this corpus and annotator; empty where nothing is kept. */
    this.name = '';
    /** What earlier tabs had left, by its place in storage. */
    this.taken = new Map();
    /** Clients whose messages were kept here. */
    this.kept = new Set();
  }

  /** What earlier tabs could not deliver, where the corpus or the annotator is another one than before. It is sent
   *  under the name it had, so nothing is done twice. */
  take(name, queue) {
    if (this.name === name) return;
    this.name = name;
    const store = storage();
    if (!store || !name) return;
    for (const place of Object.keys(store)) {
      const client = place.startsWith(`${name} `) ? place.slice(name.length + 1) : '';
      if (!/^\S+$/.test(client) || this.kept.has(client)) continue;
      const text = store.getItem(place);
      try {
        queue.push(...JSON.parse(text).filter(message => message.client === client));
        this.taken.set(place, text);
      } catch {
        /* written by something else under our name */
      }
    }
  }

  /** Make storage hold what still waits. */
  keep(queue) {
    const store = storage();
    if (!store || !this.name) return;
    const waiting = place => queue.filter(message => placeOf(this.name, message.client) === place);
    for (const [place, text] of this.taken) {
      if (waiting(place).length) continue;
      this.taken.delete(place);
      // Another tab may still be at work there, and have put something newer.
      if (store.getItem(place) === text) store.removeItem(place);
    }
    for (const { client } of queue) if (!this.taken.has(placeOf(this.name, client))) this.kept.add(client);
    for (const place of [...this.kept].map(client => placeOf(this.name, client))) {
      const mine = waiting(place);
      if (mine.length) store.setItem(place, JSON.stringify(mine));
      else store.removeItem(place);
    }
  }
}
