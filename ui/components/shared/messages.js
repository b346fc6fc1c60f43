// What components tell the server: every message is acted on once, in order. The server's end is ui/tab/messages.py.
//
// Messages wait in an outbox until the server has acknowledged them. Everything that waits is sent each time, as the
// component's state `messages`: a state arrives complete, where single events are lost when they come fast. A message
// says its `action` and carries a `client`, which is this script in this tab, and a number, `seq`. The server acts on
// what is new, and its next data name the last number that it has acted on (`data.messages.ack`, by client) and the
// session that remembers this (`data.messages.session`). Until all is acknowledged the page is ahead of the server.

const CLIENT = 'n' + Math.random().toString(36).slice(2, 8) + '-';
let lastSeq = 0;
let submissions = 0;

const PATIENCE = [3000, 6000, 12000, 30000];

/** Those that wait for another step before they tell where something stands. */
const waiting = new Set();
// What is pressed next may lead to another page, which a message that comes later would take back.
document.addEventListener('pointerdown', () => waiting.forEach(outbox => outbox.submit()), true);

export class Outbox {
  /** `queue`: an array that outlives the component, where messages must; `changed` is called when it has changed. */
  constructor({ queue = [], changed = () => {} } = {}) {
    /** What has to be done, each message once, oldest first. */
    this.queue = queue;
    /** Where something stands now, by action: a later message replaces the one before. */
    this.passing = new Map();
    this.changed = changed;
    this.submitted = new WeakSet();
    /** How often the server was asked again about what waits now. */
    this.tries = 0;
    this.sentAt = 0;
    this.timer = null;
    this.session = null;
    this.send = null;
    /** What the page has of the server's data, where it is sent only what changed: a stamp that the server gave. */
    this.holds = null;
  }

  /** Whether the server knows all that was told; until then its data describe an earlier moment. */
  get settled() {
    return !this.queue.length && !this.passing.size;
  }

  /** A name for something new that the next message will speak of. */
  get nextId() {
    return `${CLIENT}${lastSeq + 1}`;
  }

  /** A message that has to be acted on, whatever comes after it. */
  tell(action, body = {}) {
    this.queue.push(numbered(action, body));
    this.tries = 0;
    this.submit();
  }

  /** A message of which only the last counts, sent when nothing followed for `wait` milliseconds or something is pressed:
   *  held keys tell only where they stop. */
  latest(action, body, wait = 0) {
    this.passing.set(action, numbered(action, body));
    clearTimeout(this.timer);
    if (!wait) return this.submit();
    this.timer = setTimeout(() => this.submit(), wait);
    waiting.add(this);
  }

  /** At every update of the component: what the server says, and the way to it. */
  update({ session, ack }, send) {
    this.send = send;
    if (this.session !== null && this.session !== session) {
      // A new server: it is told again what has to be done, and for the rest its word counts.
      this.submitted = new WeakSet();
      this.passing.clear();
    }
    this.session = session;
    const waits = message => message.seq > (ack[message.client] ?? 0);
    this.queue.splice(0, Infinity, ...this.queue.filter(waits));
    for (const [action, message] of this.passing) if (!waits(message)) this.passing.delete(action);
    if (!this.queue.length) this.tries = 0;
    // A message of a node that was taken away at that moment never left: what another left behind is sent from here.
    if (this.queue.every(message => this.submitted.has(message))) this.changed();
    else this.submit();
  }

  /** What was told no longer matters. */
  forget() {
    clearTimeout(this.timer);
    waiting.delete(this);
    this.queue.length = 0;
    this.passing.clear();
    this.changed();
  }

  /** Called now and then: sends again what the server has been silent about for long. Returns whether it did. */
  insist() {
    if (!this.queue.length || Date.now() - this.sentAt < PATIENCE[Math.min(this.tries, PATIENCE.length - 1)])
      return false;
    this.tries += 1;
    this.submit();
    return true;
  }

  submit() {
    clearTimeout(this.timer);
    waiting.delete(this);
    this.changed();
    if (this.settled) return;
    this.sentAt = Date.now();
    for (const message of this.queue) this.submitted.add(message);
    // A state that did not change is not sent: the count makes it another one.
    submissions += 1;
    const queue = inOrder([...this.queue, ...this.passing.values()]);
    this.send('messages', { submission: submissions, holds: this.holds, queue });
  }
}

function numbered(action, body) {
  lastSeq += 1;
  return { ...body, action, client: CLIENT, seq: lastSeq };
}

/** In the order in which they were told; what an earlier tab left behind comes first. */
function inOrder(messages) {
  return messages.sort((a, b) => (a.client === CLIENT) - (b.client === CLIENT) || a.seq - b.seq);
}

/** The component's outbox, made at its first mount and told at each update what the server says. */
export function outboxOf(s, data, setStateValue, options) {
  s.outbox ??= new Outbox(options);
  s.outbox.update(data.messages, setStateValue);
  return s.outbox;
}
