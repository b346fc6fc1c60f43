// A part of the page as one SVG picture that any program opens: boxes with their borders, words, and drawings.
import { svg } from './dom.js';
import { withColours } from './saving.js';

const MARGIN = 8;

const isSeen = colour => colour !== 'transparent' && !/, 0\)$/.test(colour);

/** A box as it is on screen; the filled share of a candidate is its variable --p. */
function boxOf(node, style, rect) {
  const out = [];
  const share = Number(style.getPropertyValue('--p'));
  const radius = parseFloat(style.borderTopLeftRadius) || 0;
  const line = parseFloat(style.borderTopWidth) || 0;
  const stroke = line && style.borderTopStyle !== 'none' ? style.borderTopColor : 'none';
  const fill = isSeen(style.backgroundColor) ? style.backgroundColor : 'none';
  const dashes = style.borderTopStyle === 'dashed' ? '4 3' : 'none';
  if (node.matches('button') && share > 0) {
    out.push(svg('rect', { ...rect, width: rect.width * share, fill: '#0072b2', 'fill-opacity': 0.26 }));
  }
  if (fill !== 'none' || stroke !== 'none') {
    out.push(svg('rect', { ...rect, rx: radius, fill, stroke, 'stroke-width': line, 'stroke-dasharray': dashes }));
  }
  if (style.outlineStyle !== 'none' && parseFloat(style.outlineWidth)) {
    out.push(svg('rect', { ...rect, rx: radius, fill: 'none', stroke: style.outlineColor, 'stroke-width': 2 }));
  }
  return out;
}

/** Words that are cut off on screen are cut off in the picture. */
function wordsOf(text, place, box) {
  const room = box.right - place.left;
  if (place.width <= room + 1) return text;
  return text.slice(0, Math.max(1, Math.floor((text.length * room) / place.width) - 1)) + '…';
}

function lineOf(node, origin) {
  const range = document.createRange();
  range.selectNodeContents(node);
  const place = range.getBoundingClientRect();
  if (!place.width || !node.data.trim()) return [];
  const style = getComputedStyle(node.parentElement);
  const line = svg('text', {
    x: place.left - origin.left + MARGIN,
    y: place.top - origin.top + MARGIN + place.height * 0.78,
    fill: style.color,
    'font-size': style.fontSize,
    'font-weight': style.fontWeight,
    'font-family': 'sans-serif',
  });
  line.textContent = wordsOf(node.data, place, node.parentElement.getBoundingClientRect());
  return [line];
}

function pieces(node, origin) {
  if (node.nodeType === Node.TEXT_NODE) return lineOf(node, origin);
  // Icons are letters of a font that the reader of the file does not have.
  if (!(node instanceof Element) || node.matches('.icon, [hidden]')) return [];
  const place = node.getBoundingClientRect();
  const at = { x: place.left - origin.left + MARGIN, y: place.top - origin.top + MARGIN };
  if (node instanceof SVGSVGElement) {
    const copy = withColours(node);
    for (const [name, value] of Object.entries(at)) copy.setAttribute(name, value);
    copy.removeAttribute('style');
    for (const side of ['width', 'height']) if (!copy.hasAttribute(side)) copy.setAttribute(side, place[side]);
    return [copy];
  }
  const own = boxOf(node, getComputedStyle(node), { ...at, width: place.width, height: place.height });
  return [...own, ...[...node.childNodes].flatMap(child => pieces(child, origin))];
}

/** `root` as a picture of its own, with the colours of the theme on screen. */
export function drawn(root) {
  const { left, top } = root.getBoundingClientRect();
  const origin = { left: left - root.scrollLeft, top: top - root.scrollTop };
  const [width, height] = [root.scrollWidth, root.scrollHeight].map(size => Math.ceil(size) + 2 * MARGIN);
  const picture = svg('svg', { xmlns: 'http://www.w3.org/2000/svg', width, height, viewBox: `0 0 ${width} ${height}` });
  const ground = getComputedStyle(root).getPropertyValue('--st-background-color').trim() || '#fff';
  picture.append(svg('rect', { width, height, fill: ground }));
  picture.append(...[...root.childNodes].flatMap(child => pieces(child, origin)));
  return picture;
}
