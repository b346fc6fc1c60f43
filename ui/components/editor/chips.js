// The chip behind a mention or a suggestion: what is said of it. Dropped on another one, it asks what holds between
// them.
import { visible, visibleEl } from '../shared/dom.js';
import { percent } from '../shared/numbers.js';
import { confirmPick, openPanel, select } from './actions.js';
import { isAsked, isDoubted, threadOn, words } from './model.js';

/** The colour of a type is the label set's. Chains have the colours of their numbers; a mention without type and chain
 *  is grey. */
export function shade(s, m) {
  const type = s.data.types.find(t => t.name === m.type);
  if (type) return `var(--k${type.colour})`;
  return m.cluster !== null ? `var(--k${numberOf(s, m.cluster) % 12})` : 'var(--declined)';
}

export const numberOf = (s, cluster) => s.numbers.get(cluster);

/** How sure the model is, and who else says so. */
export const saidBy = x => [x.score === null ? '' : percent(x.score) + ' %', x.by].filter(Boolean).join(' · ');

export function suggested(s, x) {
  const other = () => words(s, x.other[0], x.other[1]);
  if (x.kind === 'coreference') return '= ' + other();
  if (x.kind === 'relation') return x.value + ' → ' + other();
  return x.kind === 'span' ? 'mention' : x.value;
}

function chipNode(s, key, parts, colour) {
  const node = visibleEl('span', 'chip one-line', parts.filter(Boolean).join(' · ') || 'mention');
  node.style.setProperty('--colour', colour);
  node.classList.toggle('selected', s.selected === key);
  node.dataset.key = key;
  node.title = visible(node.textContent);
  return node;
}

function clicked(s, event, act) {
  event.stopPropagation();
  s.page.focus();
  act();
}

function makeDraggable(s, node, key) {
  node.draggable = true;
  node.ondragstart = event => {
    event.dataTransfer.setData('text/plain', key);
    s.dragged = key;
  };
  node.ondragover = event => {
    if (!s.dragged || s.dragged === key) return;
    event.preventDefault();
    node.classList.add('target');
  };
  node.ondragleave = () => node.classList.remove('target');
  node.ondrop = event => {
    event.preventDefault();
    node.classList.remove('target');
    const from = s.dragged;
    s.selected = from;
    s.dragged = null;
    openPanel(s, { kind: 'drop', from, to: key });
  };
}

export function mentionChip(s, m) {
  const parts = [
    m.cluster !== null ? '#' + numberOf(s, m.cluster) : '',
    m.type ?? '',
    m.entity === s.data.nil ? 'NIL' : (m.entity ?? ''),
    threadOn(s, m.id).length ? (isAsked(s, m.id) ? '✎' : '✓✎') : '',
    isDoubted(s, m.id) ? '⚠ gold wrong' : '',
  ];
  const node = chipNode(s, m.id, parts, shade(s, m));
  node.onclick = event => clicked(s, event, () => (s.pick ? confirmPick(s, m.id) : select(s, m.id)));
  makeDraggable(s, node, m.id);
  return node;
}

export function suggestionChip(s, x) {
  const node = chipNode(s, x.key, ['? ' + suggested(s, x), saidBy(x)], 'var(--declined)');
  node.classList.add('suggested');
  node.onclick = event => clicked(s, event, () => select(s, x.key));
  return node;
}
