// Keys that work everywhere: [ and ] step through documents, ? shows what the keys are.
import { el } from '../shared/dom.js';
import { outboxOf } from '../shared/messages.js';
import { isTyping, listen, stateOf } from '../shared/state.js';

// Kept with the script, not with the node: a page switch mounts a new node while steps may still be on their way.
const STEPS = [];

function sheet(s) {
  const dialog = el('dialog');
  dialog.append(el('h2', '', 'Keys'));
  const list = el('dl');
  for (const [names, meaning] of s.data.keys) {
    const term = el('dt');
    term.append(...names.map(name => el('kbd', '', name)));
    list.append(term, el('dd', '', meaning));
  }
  dialog.append(list);
  dialog.onclick = () => dialog.close();
  dialog.onclose = () => dialog.remove();
  s.root.append(dialog);
  dialog.showModal();
}

/** The rank that a press leads to: from where the last press that still waits leads, else from what is on screen. */
function goal(s, by) {
  const from = STEPS.length ? STEPS.at(-1).to : s.data.steps.at;
  return Math.max(0, (from ?? (by > 0 ? -1 : 0)) + by);
}

function keyed(s, event) {
  // While a page is switched two of these nodes may listen for a moment: the first one acts.
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || isTyping(event)) return;
  if (event.altKey && !event.getModifierState('AltGraph')) return;
  const by = { '[': -1, ']': 1 }[event.key];
  if (by && s.data.steps) {
    event.preventDefault();
    s.outbox.tell('step', { to: goal(s, by) });
  } else if (event.key === '?') {
    event.preventDefault();
    const open = s.root.querySelector('dialog');
    if (open) open.close();
    else sheet(s);
  }
}

/** The sentence of a tab, when it is pointed at or reached with the keyboard. */
function hinted(s, event) {
  const tab = event.target instanceof Element ? event.target.closest('[role="tab"]') : null;
  const hint = tab && s.data.tabs[tab.textContent.trim()];
  if (!hint || tab.title === hint) return;
  tab.title = hint;
  tab.setAttribute('aria-description', hint);
}

export default function keys({ parentElement, data, setStateValue }) {
  const s = stateOf(parentElement, root => ({ root }));
  s.data = data;
  if (data.steps) outboxOf(s, data, setStateValue, { queue: STEPS });
  s.root.dataset.keys = 'ready';
  s.root.dataset.steps = data.steps ? 'ready' : 'none';
  const ends = [
    listen(s, 'keydown', event => keyed(s, event)),
    listen(s, 'pointerover', event => hinted(s, event)),
    listen(s, 'focusin', event => hinted(s, event)),
  ];
  return () => ends.forEach(end => end());
}
