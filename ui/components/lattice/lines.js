// The words of the lattice in lines that fit the width, as a text is broken into lines: whatever its length, it is
// read from the top down, and nothing has to be scrolled sideways.

const NAME = 168; // what a candidate needs to be read
const LETTER = 8.5;
const ROOM = 14;

/** What a token needs: its letters, and its share of the spans above it. */
export function widthsOf(tokens, blocks) {
  const widths = tokens.map(word => Array.from(word).length * LETTER + ROOM);
  for (const { first, last } of blocks) {
    for (let i = first; i < last; i++) widths[i] = Math.max(widths[i], NAME / (last - first));
  }
  return widths;
}

/** Lines [from, to) of tokens: a line ends where the next word does not fit, but never within a span. */
export function linesOf(tokens, blocks, widths, width) {
  const inside = new Set(
    blocks.flatMap(({ first, last }) => Array.from({ length: last - first - 1 }, (_, k) => first + 1 + k)),
  );
  const lines = [];
  let from = 0;
  let breakAt = 0;
  let used = 0;
  let sinceBreak = 0;
  for (let i = 0; i < tokens.length; i++) {
    if (!inside.has(i)) {
      breakAt = i;
      sinceBreak = 0;
    }
    used += widths[i];
    sinceBreak += widths[i];
    if (used > width && breakAt > from) {
      lines.push([from, breakAt]);
      from = breakAt;
      used = sinceBreak;
    }
  }
  if (from < tokens.length) lines.push([from, tokens.length]);
  return lines;
}
