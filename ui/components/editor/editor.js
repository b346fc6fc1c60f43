// The annotation editor: what it draws and what it listens to.
import { el, svg } from '../shared/dom.js';
import { Outbox } from '../shared/messages.js';
import { isTyping, listen, stateOf } from '../shared/state.js';
import { land, otherMode } from './actions.js';
import { drawArcs } from './arcs.js';
import { keyed, toggleSheet } from './keys.js';
import { putCursor, resize, resized, takeSelection } from './marking.js';
import { applied, chosen, ordered, viewOf } from './model.js';
import { drawAlert, drawSaved, drawSheet } from './notices.js';
import { drawPanel } from './panel.js';
import { received } from './received.js';
import { send, underWay } from './sending.js';
import { inSight } from './sight.js';
import { drawText } from './text.js';
import { modesOf, unitsOf } from './units.js';
import { Unsaved } from './unsaved.js';
import { button, openField } from './widgets.js';

// Milliseconds until a page asks what was decided, then longer and longer; long enough for the next edit of somebody who
// types fast, which would wait for the answer.
const FIRST_PAUSE = 300;
const LONGEST_PAUSE = 2000;
const MODES = { word: 'whole words ', dictionary: 'words by dictionary ', character: 'single characters ' };

function draw(s) {
  if (chosen(s)) s.lastMention = s.selected;
  const clusters = ordered(s).map(m => m.cluster);
  s.numbers = new Map([...new Set(clusters.filter(name => name !== null))].map((name, i) => [name, i + 1]));
  drawAlert(s);
  s.page.classList.toggle('arced', s.view.relations.size > 0);
  drawText(s);
  drawPanel(s);
  drawArcs(s);
  drawSheet(s);
  drawSaved(s);
  s.modeButton.firstChild.textContent = MODES[s.mode];
}

function paragraphOf([from, to]) {
  const node = el('div', 'paragraph');
  node.dir = 'auto';
  return { from, to, node, signature: null };
}

function pageOf(s) {
  const page = el('div', 'page');
  page.tabIndex = 0;
  page.setAttribute('role', 'application');
  page.setAttribute('aria-label', 'annotation editor; press ? for the keys');
  page.onkeydown = event => {
    if (isTyping(event)) return;
    // A field is open though the focus is in the text: what is typed is meant for it.
    if (openField(s) && event.key !== 'Escape') openField(s).focus();
    else keyed(s, event);
  };
  page.onpointerdown = () => Object.assign(s, { justMarked: false, marking: true });
  page.onpointermove = event => {
    if (s.resizing) resize(s, event);
  };
  page.onpointerup = () => {
    if (s.resizing) resized(s);
  };
  page.onpointercancel = () => {
    s.resizing = null;
    s.draw();
  };
  page.onclick = event => {
    if (s.justMarked || s.pick) return;
    putCursor(s, event);
    Object.assign(s, { selected: null, panel: null });
    s.draw();
  };
  return page;
}

function toolsOf(s) {
  const tools = el('div', 'tools');
  s.modeButton = button(s, 'm', 'whole words', () => otherMode(s));
  s.saved = el('span', 'saved');
  s.saved.setAttribute('aria-live', 'polite');
  tools.append(
    button(s, 'Ctrl+Z', 'Undo', () => send(s, 'undo')),
    button(s, 'Ctrl+Y', 'Redo', () => send(s, 'redo')),
    s.modeButton,
    button(s, '?', 'Keys', () => toggleSheet(s)),
    s.saved,
  );
  return tools;
}

function build(s) {
  s.page = pageOf(s);
  s.arcs = svg('svg', { class: 'arcs overlay', width: '100%' });
  s.paragraphs = s.data.paragraphs.map(paragraphOf);
  s.page.append(s.arcs, ...s.paragraphs.map(p => p.node));
  s.why = el('div', 'why');
  s.desk = el('div', 'desk');
  s.desk.append(s.page, s.why);
  s.alert = el('div');
  s.alert.setAttribute('role', 'alert');
  s.root.replaceChildren(s.alert, toolsOf(s), s.desk);
}

function firstState(root) {
  const unsaved = new Unsaved();
  const outbox = new Outbox({ changed: () => unsaved.keep(outbox.queue) });
  const s = { root, unsaved, outbox, kept: new Map(), mode: 'word', doc: null, landed: null, timer: null };
  Object.assign(s, { selected: null, anchor: null, focus: null, pick: null, panel: null, sheet: false });
  Object.assign(s, { clash: null, answered: null, lastType: null, lastMention: null, left: null, notice: '' });
  Object.assign(s, { prefix: '', guided: false, asking: null, asked: 0 });
  Object.assign(s, { resizing: null, marking: false, justMarked: false });
  // For the modules that draw or change one part: they cannot import what imports them.
  s.draw = () => draw(s);
  s.drawPanel = () => drawPanel(s);
  return s;
}

/** Another document, or another layer of it. */
function openDocument(s, data) {
  if (!modesOf(data.text).includes(s.mode)) s.mode = 'word';
  Object.assign(s, { doc: data.doc, text: Array.from(data.text), units: unitsOf(data, s.mode), graphemes: null });
  Object.assign(s, { selected: null, anchor: null, focus: null, pick: null, panel: null, left: null, notice: '' });
  build(s);
}

/** The browser remembers the annotator's name. */
function rememberUser({ cookie, user }) {
  if (cookie && user) {
    document.cookie = `${cookie}=${encodeURIComponent(user)}; path=/; max-age=31536000; samesite=strict`;
  }
}

/** What of the document is on screen: the server's view and the edits under way. */
function takeView(s, data) {
  // While edits are under way the page is ahead of the server; what the server has, plus those, is what is shown.
  s.view = underWay(s, data).reduce(applied, viewOf(data));
  if (!s.view.mentions.has(s.selected) && !data.suggestions.some(x => x.key === s.selected)) s.selected = null;
}

/** More suggestions are on their way, held back until those in sight are drawn or still being decided about: the page
 *  asks for them, and says what is in sight now. */
function askForRest(s, { doc, held, deciding }) {
  clearTimeout(s.asking);
  s.desk.setAttribute('aria-busy', String(Boolean(held || deciding)));
  if (!held && !deciding) {
    s.asked = 0;
    return;
  }
  const pause = held ? 0 : Math.min(LONGEST_PAUSE, FIRST_PAUSE * 1.5 ** s.asked);
  s.asked = held ? 0 : s.asked + 1;
  const ask = () => {
    if (s.doc !== doc || !s.page.isConnected) return;
    const [start, end] = inSight(s);
    s.outbox.latest('rest', { doc, start, end });
  };
  requestAnimationFrame(() => {
    s.asking = setTimeout(ask, pause);
  });
}

/** Show these data, and the edits under way. */
function take(s, data) {
  const fresh = s.doc !== data.doc;
  s.data = data;
  rememberUser(data);
  if (fresh) openDocument(s, data);
  takeView(s, data);
  if (!s.resizing) draw(s);
  if (fresh) s.page.focus({ preventScroll: true });
  if (data.place && (fresh || String(data.place) !== s.landed)) land(s, ...data.place);
  s.landed = String(data.place);
  askForRest(s, data);
}

export default function editor({ parentElement, data: sent, setStateValue }) {
  const s = stateOf(parentElement, firstState);
  const data = received(s.kept, sent);
  s.outbox.holds = data ? (sent.stamp ?? null) : null;
  if (data) s.unsaved.take(data.unsaved, s.outbox.queue);
  s.outbox.update(sent.messages, setStateValue);
  if (data) take(s, data);
  else s.outbox.latest('whole', {}); // a change of something that this page does not have
  s.timer ??= setInterval(() => {
    if (s.outbox.insist()) drawSaved(s);
  }, 500);
  // On the window: marking that began in the text may end beside it.
  const deaf = listen(s, 'mouseup', event => {
    if (s.marking && !s.justMarked) takeSelection(s, event.altKey);
    s.marking = false;
  });
  return () => {
    deaf();
    clearTimeout(s.asking);
    clearInterval(s.timer);
    s.timer = null;
  };
}
