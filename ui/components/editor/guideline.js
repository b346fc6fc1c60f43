// The lead's guideline: a little of Markdown, drawn as nodes of our own. Nothing in it is a link, a picture or markup.
import { appendVisible, el } from '../shared/dom.js';
import { button, rowOf } from './widgets.js';

const INLINE = /\*\*(.+?)\*\*|\*(.+?)\*|`(.+?)`/gu;
const TAGS = ['b', 'i', 'code'];

function inline(node, text) {
  let at = 0;
  for (const found of text.matchAll(INLINE)) {
    appendVisible(node, text.slice(at, found.index));
    const which = [1, 2, 3].find(i => found[i] !== undefined);
    const part = el(TAGS[which - 1]);
    appendVisible(part, found[which]);
    node.append(part);
    at = found.index + found[0].length;
  }
  appendVisible(node, text.slice(at));
  return node;
}

/** Headings, lists and paragraphs, line by line. */
export function markdown(text) {
  const box = el('div', 'guideline');
  let list = null;
  for (const line of text.split(/\r?\n/)) {
    const title = /^(#{1,6})\s+(.*)$/u.exec(line);
    const point = /^\s*(?:[-*+]|\d+[.)])\s+(.*)$/u.exec(line);
    if (point) {
      list ??= box.appendChild(el('ul'));
      list.append(inline(el('li'), point[1]));
      continue;
    }
    list = null;
    if (title) box.append(inline(el('h4'), title[2]));
    else if (line.trim()) box.append(inline(el('p'), line));
  }
  return box;
}

export function guidelinePart(s) {
  if (!s.data.guideline) return [];
  const flip = () => {
    s.guided = !s.guided;
    s.draw();
  };
  const head = rowOf(button(s, 'h', s.guided ? 'Hide the guideline' : 'Guideline', flip));
  return s.guided ? [head, markdown(s.data.guideline)] : [head];
}
