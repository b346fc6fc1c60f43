// All of a picture on one line, whatever its length: which decisions are right, which wrong, and which are drawn below.
// A slider leads to any of them, and a name finds its place. An item is {key, surface, state}.
import { el, svg } from './dom.js';

const HEIGHT = 18;
const LOW = 8;

/** The first item of a window that shows the one at `at` in its middle. */
export function settle(at, room, n) {
  return Math.max(0, Math.min(n - room, at - Math.floor(room / 2)));
}

function ticks(items) {
  const drawing = svg('svg', {
    viewBox: `0 0 ${items.length} ${HEIGHT}`,
    preserveAspectRatio: 'none',
    class: 'ticks',
    'aria-hidden': 'true',
  });
  drawing.append(...items.map((_, t) => svg('rect', { x: t + 0.1, width: 0.8 })));
  return drawing;
}

/** What is right or undecided stays low, so that what is worth a look stands out by its height too. */
function paintTick(rect, state) {
  const height = state === 'wrong' || state === 'lost' ? HEIGHT : LOW;
  for (const [name, value] of Object.entries({ y: HEIGHT - height, height, class: state }))
    rect.setAttribute(name, value);
}

/** The next item after `from` whose words contain what was typed; the first where none follows. */
export function find(items, words, from) {
  const wanted = words.trim().toLowerCase();
  if (!wanted) return -1;
  const found = items.flatMap(({ surface }, i) => (surface.toLowerCase().includes(wanted) ? [i] : []));
  return found.find(i => i > from) ?? found[0] ?? -1;
}

function searchBox(items, at, go) {
  const box = el('input', 'find');
  box.type = 'search';
  box.placeholder = 'Find a mention';
  box.setAttribute('aria-label', 'Find a mention by its words; Enter goes to the next');
  box.onkeydown = event => {
    if (event.key !== 'Enter') return;
    const found = find(items, box.value, at());
    box.classList.toggle('nowhere', found < 0);
    if (found >= 0) go(items[found].key);
    event.preventDefault();
  };
  return box;
}

/** The line of all items. `go` gets the key of the one that is asked for. */
export function overview(items, go) {
  const root = el('div', 'all-line');
  const bar = el('div', 'bar');
  const slider = el('input', 'slider');
  const shade = el('div', 'shade');
  const drawing = ticks(items);
  let selected = -1;
  slider.type = 'range';
  slider.min = '0';
  slider.max = String(Math.max(0, items.length - 1));
  slider.value = '0';
  slider.setAttribute('aria-label', 'Decision on screen');
  slider.oninput = () => go(items[Number(slider.value)].key);
  bar.append(drawing, shade, slider);
  const where = el('span', 'where');
  const search = searchBox(items, () => selected, go);
  root.append(bar, search, where);
  const map = {
    root,
    /** Say what is to be said of each item now. */
    paint(states) {
      states.forEach((state, t) => paintTick(drawing.children[t], state));
    },
    /** Say which items are drawn. */
    frame(from, room) {
      shade.style.left = (100 * from) / items.length + '%';
      shade.style.width = (100 * room) / items.length + '%';
      where.textContent = `${from + 1}–${from + room} of ${items.length}`;
      if (selected < 0) slider.value = String(from);
    },
    /** Say which one is selected. */
    mark(at) {
      selected = at;
      if (at < 0) return;
      slider.value = String(at);
      slider.setAttribute('aria-valuetext', `${at + 1} of ${items.length}: ${items[at].surface}`);
    },
  };
  map.paint(items.map(item => item.state));
  return map;
}
