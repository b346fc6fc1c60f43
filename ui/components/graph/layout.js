// Where mentions and arrows stand: mentions in a row, every arrow on a level of its own above or below it.

const GAP = 34;
const CLOSE = 6; // between mentions, where the row would be wider than there is room
const NODE = 54;
const LINE = 18; // of a name that is wrapped
const LEVEL = 40;
const PAD = 26;
const TITLE = 20;

const lengthOf = arrow => Math.abs(arrow.head - arrow.tail);

/** Put overlapping arrows on different levels, short ones nearest to the row; returns how many levels there are. An
 * arrow that names the constraint it breaks is wider than its line: it overlaps its neighbours, too. */
export function levels(arrows) {
  const rows = [];
  for (const arrow of [...arrows].sort((a, b) => lengthOf(a) - lengthOf(b))) {
    const low = Math.min(arrow.head, arrow.tail);
    const high = Math.max(arrow.head, arrow.tail);
    const wide = arrow.violations.length > 0;
    const meets = ([a, b, w]) => (wide || w ? low <= b && a <= high : low < b && a < high);
    let level = rows.findIndex(taken => !taken.some(meets));
    if (level < 0) level = rows.push([]) - 1;
    rows[level].push([low, high, wide]);
    arrow.level = level;
  }
  return rows.length;
}

function widthOf(node) {
  return Math.max(84, Math.min(190, 9 + 7.6 * Math.max(node.surface.length, 12)));
}

const LEAST = 36; // of a node: below it even a type takes too many lines
const EDGE = 14; // of a node, both sides together
const LETTER = 6.8;
const CAPITAL = 8.2;

const wordsOf = node => node.surface.split(/\s+/);

/** Just wide enough for the longest word of a name, or for a type that was changed. */
function narrowOf(node) {
  return Math.max(54, Math.min(190, EDGE + LETTER * Math.max(...wordsOf(node).map(word => word.length))));
}

/** What is said of a node's type where it takes the most room: "Peop → Loc ✓". */
function saidOf(node) {
  const types = node.after.map(([, , type]) => type).sort((a, b) => b.length - a.length);
  return types.some(type => type !== node.before) ? [node.before, '→', types[0] + ' ✓'] : [node.before + ' ✓'];
}

/** How many lines a node takes: its name and its type, where words that are too long are broken. */
function linesIn(node, width) {
  const letters = Math.max(1, Math.floor((width - 8) / CAPITAL));
  const linesOf = word => (EDGE + LETTER * word.length <= width + 1 ? 1 : Math.ceil(word.length / letters));
  return [...wordsOf(node), ...saidOf(node)].reduce((sum, word) => sum + linesOf(word), 0);
}

function inRow(nodes, width, gap, pad) {
  let x = pad;
  const found = nodes.map(node => {
    const one = { ...node, x, width: width(node) };
    x += one.width + gap;
    return one;
  });
  return { nodes: found, width: x - gap + pad };
}

/** The mentions from left to right, and the width of the board. Where they would not fit into the room there is, names
 * are wrapped and stand close together, and where that is not enough, words are broken; the nodes are as tall as the
 * longest of them needs. */
export function placed(nodes, room) {
  const wide = inRow(nodes, widthOf, GAP, PAD);
  if (!room || wide.width <= room) return { ...wide, tall: NODE, close: false };
  const least = inRow(nodes, narrowOf, CLOSE, 4);
  const gaps = 2 * 4 + CLOSE * (nodes.length - 1);
  const share = Math.min(1, (room - gaps) / (least.width - gaps));
  const width = node => Math.max(LEAST, Math.floor(narrowOf(node) * share));
  const spare = Math.max(0, room - least.width) / Math.max(1, nodes.length - 1);
  const lines = Math.max(2, ...nodes.map(node => linesIn(node, width(node))));
  return { ...inRow(nodes, width, CLOSE + spare, 4), tall: NODE + (lines - 2) * LINE, close: true };
}

/** Every end of an arrow gets a place of its own on its node, in the order of where it goes. */
export function ports(nodes, arrows) {
  const ends = nodes.map(() => []);
  for (const arrow of arrows) {
    ends[arrow.head].push({ arrow, other: arrow.tail, side: 'from' });
    ends[arrow.tail].push({ arrow, other: arrow.head, side: 'to' });
  }
  ends.forEach((list, n) => {
    // Left-going ends on the left; among those the far ones nearest to the middle, so that arrows do not cross.
    const rank = e => (e.other < n ? -1 : 1) * (1000 - Math.abs(e.other - n) * 10 - e.arrow.level);
    list.sort((a, b) => rank(a) - rank(b));
    list.forEach((e, k) => {
      e.arrow[e.side] = nodes[n].x + (nodes[n].width * (k + 1)) / (list.length + 1);
    });
  });
}

/** Where the row of mentions is, and how high the board is, with so many levels above and below. */
export function heights(above, below, tall) {
  const top = TITLE + above * LEVEL + 18;
  return { row: { top, bottom: top + tall }, height: top + tall + below * LEVEL + 18 + TITLE };
}

/** The line of an arrow, its tip, and the height of its middle. */
export function path({ level, from, to }, row, up) {
  const away = 14 + level * LEVEL + LEVEL / 2;
  const y = up ? row.top - away : row.bottom + away;
  const start = up ? row.top : row.bottom;
  const sign = up ? 1 : -1;
  const way = to > from ? 1 : -1;
  const r = Math.min(9, Math.abs(to - from) / 2);
  const out = `M${from},${start} V${y + sign * r} Q${from},${y} ${from + way * r},${y}`;
  const back = `H${to - way * r} Q${to},${y} ${to},${y + sign * r} V${start - sign * 7}`;
  const base = start - sign * 8;
  return { y, d: `${out} ${back}`, tip: `M${to - 4.5},${base} L${to + 4.5},${base} L${to},${start} Z` };
}
