// The map of all entities: a line each, with a mark wherever the text mentions it. A click leads to the mention.
import { appendVisible, el, svg, visible } from '../shared/dom.js';
import { counted } from '../shared/numbers.js';
import { find } from '../shared/overview.js';

const WIDTH = 1000;
const HEIGHT = 14;

function tickNode(tick, choose) {
  const state = tick.right === false ? 'wrong' : 'fine';
  const x = 4 + tick.at * (WIDTH - 8);
  const mark = svg('rect', { x: x - 2, y: state === 'wrong' ? 0 : 4, width: 4, height: state === 'wrong' ? 14 : 7 });
  mark.setAttribute('class', state);
  mark.dataset.key = tick.key;
  mark.append(Object.assign(svg('title'), { textContent: visible(tick.text) }));
  mark.onclick = event => {
    event.stopPropagation();
    choose(tick.key);
  };
  return mark;
}

function chainNode(chain, choose) {
  const wrong = chain.ticks.filter(tick => tick.right === false).length;
  const button = el('button', 'chain' + (chain.shown ? ' shown' : ''));
  button.dataset.number = chain.number;
  button.style.setProperty('--chip', `var(--c${chain.colour % 6})`);
  const name = el('span', 'name one-line');
  appendVisible(name, chain.name);
  const line = svg('svg', { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: 'none', 'aria-hidden': 'true' });
  line.append(...chain.ticks.map(tick => tickNode(tick, choose)));
  button.append(el('span', 'chip', String(chain.number)), name, line);
  button.append(el('span', 'size', chain.ticks.length + (wrong ? ` · ${wrong} ✗` : '')));
  const told = `entity ${chain.number}, ${chain.name}: ${counted(chain.ticks.length, 'mention')}, ${wrong} wrong`;
  button.title = visible(told);
  button.setAttribute('aria-label', visible(told));
  if (chain.shown) button.setAttribute('aria-current', 'true');
  button.onclick = () => choose(chain.ticks[0].key);
  return button;
}

function searchBox(chains, selected, choose) {
  const all = chains.flatMap(chain => chain.ticks).sort((a, b) => a.at - b.at);
  const items = all.map(({ key, text }) => ({ key, surface: text }));
  const box = el('input', 'find');
  box.type = 'search';
  box.placeholder = 'Find a mention';
  box.setAttribute('aria-label', 'Find a mention by its words; Enter goes to the next');
  box.onkeydown = event => {
    event.stopPropagation();
    if (event.key !== 'Enter') return;
    const at = items.findIndex(item => item.key === selected());
    const found = find(items, box.value, at);
    box.classList.toggle('nowhere', found < 0);
    if (found >= 0) choose(items[found].key);
  };
  return box;
}

/** `selected()` is the key of the selected mention; `choose` gets that of the one asked for. `more` stands beside. */
export function chainMap(chains, selected, choose, more) {
  const root = el('div', 'chains');
  const head = el('div', 'all-line');
  head.append(searchBox(chains, selected, choose));
  const total = counted(chains.length, 'entity', 'entities');
  head.append(el('span', 'where', `${total}, the text from left to right · tall mark: wrong`), more);
  const list = el('div', 'chain-list');
  list.append(...chains.map(chain => chainNode(chain, choose)));
  root.append(head, list);
  return { root, list };
}
