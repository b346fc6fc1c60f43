// In front of every component's script. Text of documents reaches the page through textContent only.
const STATES = new WeakMap();

/** The state kept with a mounted root; `make` is called at its first mount. */
function stateOf(root, make) {
  if (!STATES.has(root)) STATES.set(root, make());
  return STATES.get(root);
}

function el(tag, className, text) {
  const node = document.createElement(tag);
  if (className) node.className = className;
  if (text !== undefined && text !== null) node.textContent = text;
  return node;
}

/** A sign from the icon font that ships with the server. */
function icon(name) {
  const node = el('span', 'icon', name);
  node.setAttribute('aria-hidden', 'true');
  return node;
}

function svg(tag, attributes) {
  const node = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const [name, value] of Object.entries(attributes || {})) node.setAttribute(name, value);
  return node;
}

// Characters that are invisible or reorder what is shown: bidi controls, zero-width characters, other controls.
// The joiners U+200C and U+200D stay: scripts and emoji need them.
const CONTROL = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u2064\u2066-\u206f\ufeff\ufff9-\ufffb]/u;
const CONTROL_NAMES = {
  0x202a: 'LRE', 0x202b: 'RLE', 0x202c: 'PDF', 0x202d: 'LRO', 0x202e: 'RLO', 0x2066: 'LRI', 0x2067: 'RLI', 0x2068: 'FSI',
  0x2069: 'PDI', 0x200b: 'ZWSP', 0x200e: 'LRM', 0x200f: 'RLM', 0x061c: 'ALM', 0xfeff: 'BOM', 0x00ad: 'SHY', 0x2060: 'WJ',
};

/** Append text so that every invisible or reordering character shows as a small placeholder. */
function appendVisible(node, text) {
  if (!CONTROL.test(text)) { node.append(text); return; }
  let plain = '';
  for (const character of text) {
    if (!CONTROL.test(character)) { plain += character; continue; }
    if (plain) { node.append(plain); plain = ''; }
    const code = character.codePointAt(0);
    const mark = el('span', 'control-character', CONTROL_NAMES[code] || 'U+' + code.toString(16).toUpperCase().padStart(4, '0'));
    mark.title = 'a character that is not shown (U+' + code.toString(16).toUpperCase().padStart(4, '0') + ')';
    node.append(mark);
  }
  if (plain) node.append(plain);
}

/** The same for places that take only a string, as in a tooltip. */
const visible = text => text.replace(new RegExp(CONTROL.source, 'gu'), c => '⟨' + (CONTROL_NAMES[c.codePointAt(0)] || 'U+' + c.codePointAt(0).toString(16).toUpperCase().padStart(4, '0')) + '⟩');

const percent = x => (100 * x).toFixed(1);
/** Counts with thin spaces. */
const count = n => String(n).replace(/\B(?=(\d{3})+(?!\d))/g, '\u2009');
/** Three significant digits, with a real minus sign. */
function three(x) {
  if (x === null || x === undefined || Number.isNaN(x)) return '–';
  if (!Number.isFinite(x)) return x > 0 ? '∞' : '−∞';
  if (x === 0) return '0';
  const size = Math.abs(x);
  const digits = size >= 1e5 || size < 1e-3 ? x.toExponential(2) : Number(x.toPrecision(3)).toString();
  return digits.replace('-', '−');
}

const BIAS_EVENT = 'espalier-bias';
/** Tell every component of the page that the knob moved. */
function broadcastBias(detail) { window.dispatchEvent(new CustomEvent(BIAS_EVENT, { detail })); }
/** Listen on window once per component, however often its function runs; `act` may be replaced at each run.
 *  Returns the clean-up function. */
function listen(s, name, act) {
  s.acts = s.acts || {};
  s.listeners = s.listeners || {};
  s.acts[name] = act;
  if (!s.listeners[name]) {
    s.listeners[name] = event => s.acts[name](event);
    window.addEventListener(name, s.listeners[name]);
  }
  return () => {
    window.removeEventListener(name, s.listeners[name]);
    delete s.listeners[name];
  };
}
/** Call `act(detail)` whenever the knob moves; returns the clean-up function. */
function onBias(s, act) { return listen(s, BIAS_EVENT, event => act(event.detail)); }
/** Whether a decision with these intervals [[low, high), ...] (null = unbounded) is on at this bias. */
function isOn(intervals, bias) {
  return intervals.some(([low, high]) => (low === null || bias >= low) && (high === null || bias < high));
}
/** A message with the next number. The server answers with the number of the last one it knows. */
function numbered(s, message) {
  s.sent = Math.max(s.sent || 0, s.ack || 0) + 1;
  return { ...message, seq: s.sent };
}
/** Whether the server knows all that was sent; until then its data describe an earlier moment. */
function answered(s, ack) {
  s.ack = ack;
  return ack >= (s.sent || 0);
}
function isTyping(event) {
  const target = event.composedPath()[0];
  return target instanceof Element && (/^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName) && target.type !== 'range' || target.isContentEditable);
}
