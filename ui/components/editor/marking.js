// What the mouse marks: places on the screen as code-point offsets, and edges that are dragged.
import { mark, range, snapped } from './model.js';
import { edit } from './sending.js';
import { drawText } from './text.js';
import { unitsOf } from './units.js';

function graphemes(s) {
  s.graphemes ??= unitsOf(s.data, 'character');
  return s.graphemes;
}

/** The place in the page's nodes under a point of the screen. */
function caretAt(s, x, y) {
  if (document.caretPositionFromPoint) {
    const root = s.page.getRootNode();
    return document.caretPositionFromPoint(x, y, { shadowRoots: root instanceof ShadowRoot ? [root] : [] });
  }
  const found = document.caretRangeFromPoint(x, y);
  return found && { offsetNode: found.startContainer, offset: found.startOffset };
}

/** Code-point offset under a point of the screen. */
function placeAt(s, x, y) {
  const found = caretAt(s, x, y);
  return found && s.page.contains(found.offsetNode) ? offsetAt(s, found.offsetNode, found.offset) : null;
}

/** Code-point offset of a place in a segment. A placeholder for a hidden character counts as one. */
function offsetInside(segment, container, offset) {
  let at = Number(segment.dataset.start);
  for (const [i, node] of [...segment.childNodes].entries()) {
    const isText = node.nodeType === Node.TEXT_NODE;
    if (container === segment ? i === offset : node.contains(container)) {
      return node === container && isText ? at + Array.from(node.data.slice(0, offset)).length : at;
    }
    at += isText ? Array.from(node.data).length : 1;
  }
  return at;
}

/** Code-point offset of a place in the page's nodes. */
function offsetAt(s, container, offset) {
  const element = container instanceof Element ? container : container.parentElement;
  const segment = element.closest('.seg');
  if (segment) return offsetInside(segment, container, offset);
  const label = element.closest('.chip, .handle');
  if (label) return endBefore(s, label);
  const paragraph = s.paragraphs.find(p => p.node === element);
  if (paragraph) return offset === 0 ? paragraph.from : endBefore(s, element.childNodes[offset - 1]);
  if (element !== s.page) return null;
  const next = s.paragraphs.find(p => p.node === element.childNodes[offset]);
  return next ? next.from : s.text.length;
}

/** Where the text before a chip or a handle ends. */
function endBefore(s, node) {
  let before = node;
  while (before && !before.classList.contains('seg')) before = before.previousSibling;
  if (before) return Number(before.dataset.end);
  return s.paragraphs.find(p => p.node.contains(node))?.from ?? null;
}

/** The ends of what the browser has selected in the page; null where it has selected nothing of it. */
function selectedEnds(s, selection) {
  if (!selection || selection.isCollapsed || !selection.anchorNode) return null;
  if (!s.page.contains(selection.anchorNode)) return null;
  const first = offsetAt(s, selection.anchorNode, selection.anchorOffset);
  if (s.page.contains(selection.focusNode)) return [first, offsetAt(s, selection.focusNode, selection.focusOffset)];
  const follows = s.page.compareDocumentPosition(selection.focusNode) & Node.DOCUMENT_POSITION_FOLLOWING;
  return [first, follows ? s.text.length : 0];
}

/** What was marked with the mouse becomes the marked text; with Alt to the character, whatever the mode. */
export function takeSelection(s, exact) {
  const root = s.page.getRootNode();
  const selection = root.getSelection ? root.getSelection() : getSelection();
  const ends = selectedEnds(s, selection);
  if (!ends || ends.includes(null) || ends[0] === ends[1]) return;
  const found = snapped(s, Math.min(...ends), Math.max(...ends), exact ? graphemes(s) : s.units);
  selection.removeAllRanges();
  if (!found) return;
  mark(s, ...found);
  Object.assign(s, { justMarked: true, selected: null, panel: null });
  s.draw();
}

/** A click beside the mentions leaves what was marked, and the next arrow key goes on from the word under it. */
export function putCursor(s, event) {
  const at = placeAt(s, event.clientX, event.clientY);
  if (at === null) return;
  const unit = s.units.find(u => u[1] > at) ?? s.units.at(-1) ?? [at, at];
  Object.assign(s, { anchor: null, focus: null, left: [unit[0], unit[0]] });
}

/** The pointer drags an edge of the selected mention. */
export function resize(s, event) {
  const at = placeAt(s, event.clientX, event.clientY);
  if (at === null) return;
  const { side, from } = s.resizing;
  const units = event.altKey ? graphemes(s) : s.units;
  const unit = units.find(u => u[0] <= at && at < u[1]) ?? [at, at];
  // The edge nearest to the pointer counts.
  const edge = at - unit[0] < unit[1] - at ? unit[0] : unit[1];
  if (side === 'start') mark(s, Math.min(edge, from[1] - 1), from[1]);
  else mark(s, from[0], Math.max(edge, from[0] + 1));
  drawText(s);
}

/** The edge is let go. */
export function resized(s) {
  const { id, from } = s.resizing;
  const r = range(s);
  s.resizing = null;
  s.justMarked = true;
  if (r && (r[0] !== from[0] || r[1] !== from[1])) edit(s, { kind: 'SetSpan', id, start: r[0], end: r[1] });
  else s.draw();
}
