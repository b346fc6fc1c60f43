// The lead's guideline: a little of Markdown, drawn as nodes of our own, then what the label set says of each type.
// Nothing in it is a link, a picture or markup.
import { appendVisible, el, visibleEl } from '../shared/dom.js';
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

const isDescribed = type => !type.deprecated && (type.about !== '' || type.examples.length > 0);

/** What the label set says about each type, with its examples. */
function described(types) {
  const list = el('ul');
  for (const type of types) {
    const node = el('li');
    const quoted = type.examples.map(one => `“${one}”`).join(', ');
    node.append(visibleEl('b', '', type.name), ' ');
    appendVisible(node, [type.about, quoted].filter(Boolean).join(': '));
    list.append(node);
  }
  const box = el('div', 'guideline');
  box.append(list);
  return box;
}

export function guidelinePart(s) {
  const types = s.data.types.filter(isDescribed);
  if (!s.data.guideline && !types.length) return [];
  const flip = () => {
    s.guided = !s.guided;
    s.draw();
  };
  const head = rowOf(button(s, 'h', s.guided ? 'Hide the guideline' : 'Guideline', flip));
  if (!s.guided) return [head];
  return [head, markdown(s.data.guideline), ...(types.length ? [described(types)] : [])];
}
