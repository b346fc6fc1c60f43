// Nodes of the page. Text of documents reaches them through textContent only, and what is invisible in it is shown.

export function el(tag, className, text) {
  const node = document.createElement(tag);
  if (className) node.className = className;
  if (text !== undefined && text !== null) node.textContent = text;
  return node;
}

/** A sign from the icon font that ships with the server. */
export function icon(name) {
  const node = el('span', 'icon', name);
  node.setAttribute('aria-hidden', 'true');
  return node;
}

export function svg(tag, attributes = {}) {
  const node = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  return node;
}

// Characters that are invisible or reorder what is shown: bidi controls, zero-width characters, other controls.
// The joiners U+200C and U+200D stay: scripts and emoji need them.
const CONTROL =
  // eslint-disable-next-line no-control-regex -- control characters are what it looks for
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u2064\u2066-\u206f\ufeff\ufff9-\ufffb]/u;
const EVERY_CONTROL = new RegExp(CONTROL.source, 'gu');
const CONTROL_NAMES = {
  0x202a: 'LRE',
  0x202b: 'RLE',
  0x202c: 'PDF',
  0x202d: 'LRO',
  0x202e: 'RLO',
  0x2066: 'LRI',
  0x2067: 'RLI',
  0x2068: 'FSI',
  0x2069: 'PDI',
  0x200b: 'ZWSP',
  0x200e: 'LRM',
  0x200f: 'RLM',
  0x061c: 'ALM',
  0xfeff: 'BOM',
  0x00ad: 'SHY',
  0x2060: 'WJ',
};

const codeOf = character => 'U+' + character.codePointAt(0).toString(16).toUpperCase().padStart(4, '0');
const nameOf = character => CONTROL_NAMES[character.codePointAt(0)] || codeOf(character);

function placeholder(character) {
  const mark = el('span', 'control-character', nameOf(character));
  mark.title = `a character that is not shown (${codeOf(character)})`;
  return mark;
}

/** Append text so that every invisible or reordering character shows as a small placeholder. */
export function appendVisible(node, text) {
  if (!CONTROL.test(text)) {
    node.append(text);
    return;
  }
  let plain = '';
  for (const character of text) {
    if (!CONTROL.test(character)) {
      plain += character;
      continue;
    }
    if (plain) node.append(plain);
    plain = '';
    node.append(placeholder(character));
  }
  if (plain) node.append(plain);
}

/** The same for places that take only a string, as in a tooltip. */
export const visible = text => text.replace(EVERY_CONTROL, character => `⟨${nameOf(character)}⟩`);

/** An element whose text may hold invisible characters. */
export function visibleEl(tag, className, text) {
  const node = el(tag, className);
  appendVisible(node, text);
  return node;
}
