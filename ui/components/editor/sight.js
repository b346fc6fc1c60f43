// What of the text is on screen.

/** The last paragraph that starts at or before this place. */
export function paragraphAt(s, place) {
  let low = 0;
  let high = s.paragraphs.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (s.paragraphs[middle].from <= place) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** The part of the text that the page shows. */
export function inSight(s) {
  const frame = s.page.getBoundingClientRect();
  const first = Math.max(0, firstBelow(s, frame.top) - 1);
  const last = Math.min(s.paragraphs.length - 1, firstBelow(s, frame.bottom));
  return s.paragraphs.length ? [s.paragraphs[first].from, s.paragraphs[last].to] : [0, 0];
}

/** The first paragraph whose upper edge is below this height; the number of paragraphs where none is. */
function firstBelow(s, height) {
  let low = 0;
  let high = s.paragraphs.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (s.paragraphs[middle].node.getBoundingClientRect().top > height) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Scroll to what is marked, where it is out of sight. */
export function reveal(s) {
  if (!s.paragraphs.length || s.focus === null) return;
  const box = s.paragraphs[paragraphAt(s, s.focus[0])].node.getBoundingClientRect();
  const frame = s.page.getBoundingClientRect();
  if (box.top >= frame.top + 8 && box.bottom <= frame.bottom - 8) return;
  s.page.scrollTop += box.top - frame.top - frame.height / 3;
}

/** For so many frames: paragraphs out of sight take the height that is guessed for them only after they were drawn, and
 *  what stands below them moves. */
export function keepInSight(s, frames) {
  reveal(s);
  if (frames) requestAnimationFrame(() => keepInSight(s, frames - 1));
}
