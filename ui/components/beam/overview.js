// All decisions on one line, whatever their number: which are right, which wrong, where the right sequence was lost,
// and which are drawn below. A slider leads to any of them, and a name finds its place.
import { el, svg } from '../shared/dom.js';

const HEIGHT = 18;

/** The first column of a window that shows the one at `at` in its middle. */
export function settle(at, room, n) {
  return Math.max(0, Math.min(n - room, at - Math.floor(room / 2)));
}

/** Whether the sequence that was chosen takes the right entity here; null where gold is not among the cells. */
function isRight(column) {
  const chosen = column.cells.find(cell => cell.chosen);
  return chosen ? Boolean(chosen.gold) : null;
}

function ticks(columns) {
  const drawing = svg('svg', {
    viewBox: `0 0 ${columns.length} ${HEIGHT}`,
    preserveAspectRatio: 'none',
    class: 'ticks',
    'aria-hidden': 'true',
  });
  columns.forEach((column, t) => {
    const state = column.fell ? 'lost' : isRight(column) ? 'right' : 'wrong';
    const height = state === 'right' ? 8 : HEIGHT;
    drawing.append(svg('rect', { x: t + 0.1, y: HEIGHT - height, width: 0.8, height, class: state }));
  });
  return drawing;
}

/** The next column after `from` whose words contain what was typed; the first where none follows. */
export function find(columns, words, from) {
  const wanted = words.trim().toLowerCase();
  if (!wanted) return -1;
  const found = columns.flatMap(({ surface }, i) => (surface.toLowerCase().includes(wanted) ? [i] : []));
  return found.find(i => i > from) ?? found[0] ?? -1;
}

function searchBox(columns, at, go) {
  const box = el('input', 'find');
  box.type = 'search';
  box.placeholder = 'Find a mention';
  box.setAttribute('aria-label', 'Find a mention by its words; Enter goes to the next');
  box.onkeydown = event => {
    if (event.key !== 'Enter') return;
    const found = find(columns, box.value, at());
    box.classList.toggle('nowhere', found < 0);
    if (found >= 0) go(columns[found].key);
    event.preventDefault();
  };
  return box;
}

/** The line of all decisions. `go` gets the key of the one that is asked for. */
export function overview(columns, go) {
  const root = el('div', 'overview');
  const strip = el('div', 'strip');
  const slider = el('input', 'slider');
  const shade = el('div', 'shade');
  let selected = -1;
  slider.type = 'range';
  slider.min = '0';
  slider.max = String(Math.max(0, columns.length - 1));
  slider.setAttribute('aria-label', 'Decision on screen');
  slider.oninput = () => go(columns[Number(slider.value)].key);
  strip.append(ticks(columns), shade, slider);
  const where = el('span', 'where');
  root.append(
    strip,
    searchBox(columns, () => selected, go),
    where,
  );
  return {
    root,
    /** Say which columns are drawn. */
    frame(from, room) {
      shade.style.left = (100 * from) / columns.length + '%';
      shade.style.width = (100 * room) / columns.length + '%';
      where.textContent = `${from + 1}–${from + room} of ${columns.length}`;
    },
    /** Say which one is selected. */
    mark(at) {
      selected = at;
      if (at < 0) return;
      slider.value = String(at);
      slider.setAttribute('aria-valuetext', `${at + 1} of ${columns.length}: ${columns[at].surface}`);
    },
  };
}
