// One arrow of the graph. Solid: holds. Red, dashed, !: breaks a constraint. ✓ and ✗: in gold or not. Grey dotted with
// ∅: gold has it, the decision does not.
import { svg, visible } from '../shared/dom.js';
import { percent } from '../shared/numbers.js';
import { path } from './layout.js';

const isBroken = arrow => arrow.violations.length > 0;

function signOf(arrow) {
  if (arrow.missed) return '∅ ';
  return arrow.gold === true ? '✓ ' : arrow.gold === false ? '✗ ' : '';
}

function withText(node, text) {
  node.textContent = text;
  return node;
}

function labelOf(arrow, x, y, broken) {
  const label = svg('text', { x, y: y - 5, class: 'label over-lines' + (arrow.gold === true ? ' right' : '') });
  if (arrow.pinned) label.append(withText(svg('tspan', { class: 'icon' }), 'keep'), ' ');
  if (isBroken(arrow)) label.append(withText(svg('tspan', { class: 'mark' }), broken + ' '));
  label.append(signOf(arrow) + visible(arrow.label));
  return label;
}

function reasonOf(arrow, x, y) {
  const more = arrow.violations.length > 1 ? ` +${arrow.violations.length - 1}` : '';
  return withText(svg('text', { x, y: y + 14, class: 'reason over-lines' }), visible(arrow.violations[0]) + more);
}

/** What is told about an arrow in words. */
function wordsOf(arrow, nodes) {
  return [
    `${nodes[arrow.head].surface} → ${arrow.label} → ${nodes[arrow.tail].surface}`,
    arrow.missed ? 'in gold, not decided' : `probability ${percent(arrow.weight)} %`,
    arrow.gold === true ? 'right' : arrow.gold === false ? 'not in gold' : '',
    ...arrow.violations.map(one => 'breaks: ' + one),
    arrow.pinned ? 'fixed by your pin' : '',
  ].filter(Boolean);
}

/** `choose` is called when the arrow is clicked, or entered with the keyboard. */
export function arrowNode(data, arrow, row, up, choose) {
  const states = { broken: isBroken(arrow), missed: arrow.missed, pinned: arrow.pinned };
  const names = ['arrow', ...Object.keys(states).filter(name => states[name])];
  const group = svg('g', { class: names.join(' '), tabindex: '0', role: 'button' });
  const { d, tip, y } = path(arrow, row, up);
  const middle = (arrow.from + arrow.to) / 2;
  group.append(
    svg('path', { d, class: 'reach' }),
    svg('path', { d, class: 'line' }),
    svg('path', { d: tip, class: 'tip' }),
  );
  group.append(labelOf(arrow, middle, y, data.broken));
  if (isBroken(arrow)) group.append(reasonOf(arrow, middle, y));
  const words = wordsOf(arrow, data.nodes);
  group.append(withText(svg('title'), visible(words.join('\n'))));
  group.setAttribute('aria-label', visible(words.join(', ')));
  group.dataset.key = arrow.key;
  group.onclick = choose;
  group.onkeydown = event => {
    if (event.key !== 'Enter' && event.key !== ' ') return;
    choose();
    event.preventDefault();
  };
  return group;
}
