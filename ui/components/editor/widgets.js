// Buttons, lists and fields of the panel.
import { el, visible, visibleEl } from '../shared/dom.js';
import { openPanel } from './actions.js';
import { words } from './model.js';

/** The field that is open in the panel, if any: whatever is typed belongs there. */
export const openField = s => s.why.querySelector('input, textarea');

/** After a click the keyboard goes on in the field that it opened, else in the text. */
export function clicked(s, act) {
  act();
  (openField(s) ?? s.page).focus({ preventScroll: true });
}

export function button(s, key, label, act) {
  const node = el('button', 'plain-button', visible(label) + ' ');
  if (key) node.append(el('kbd', '', key));
  node.onclick = () => clicked(s, act);
  return node;
}

/** A button that shows whether something holds. */
export function toggle(s, key, label, on, act) {
  const node = button(s, key, label, act);
  node.setAttribute('aria-pressed', on);
  return node;
}

export function item(s, at, label, note, act) {
  const node = el('li', at ? 'at' : '');
  node.append(visibleEl('span', '', label), el('span', 'note', note));
  node.onclick = () => clicked(s, act);
  return node;
}

export function listOf(nodes) {
  const list = el('ul', 'list');
  list.append(...nodes);
  return list;
}

/** Whether a key moves the mark in the panel's list, which has so many items; if so, it has moved. */
export function steps(s, event, length) {
  const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (!by) return false;
  event.preventDefault();
  s.panel.at = Math.max(0, Math.min(length - 1, s.panel.at + by));
  s.drawPanel();
  return true;
}

export function rowOf(...nodes) {
  const row = el('div', 'row');
  row.append(...nodes.filter(Boolean));
  return row;
}

export const heading = text => el('h3', '', text);
export const hint = text => el('div', 'mode', text);
export const quote = (s, a, b) => visibleEl('div', 'quote', words(s, a, b));

/** One line of text: Enter takes it, Escape leaves it. What is half written stays when the panel is drawn anew. */
export function field(s, label, value, take, { known = null, mayBeEmpty = false } = {}) {
  const box = el('div');
  const input = el('input');
  input.value = s.panel.draft ?? value;
  input.oninput = () => {
    s.panel.draft = input.value;
  };
  input.placeholder = label;
  input.setAttribute('aria-label', label);
  if (known) {
    const list = el('datalist');
    list.id = 'known';
    list.append(...known.map(one => Object.assign(el('option'), { value: one })));
    input.setAttribute('list', 'known');
    box.append(list);
  }
  input.onkeydown = event => {
    event.stopPropagation();
    const text = input.value.trim();
    if (event.key === 'Enter' && (text || mayBeEmpty)) clicked(s, () => take(text));
    else if (event.key === 'Escape') clicked(s, () => openPanel(s, null));
  };
  box.append(input);
  return box;
}
