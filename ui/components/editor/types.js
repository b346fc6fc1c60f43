// The palette: types with their keys and colours, as buttons while there are few and searched where there are many.
import { el, visible } from '../shared/dom.js';
import { openPanel, setType } from './actions.js';
import { guidelinePart } from './guideline.js';
import { chosen, palette, range } from './model.js';
import { button, clicked, heading, hint, item, listOf, quote, rowOf, steps } from './widgets.js';

const SHOWN = 18; // buttons

function typeButton(s, type, current) {
  const node = button(s, type.key, type.name, () => setType(s, type.name));
  node.style.setProperty('--colour', `var(--k${type.colour})`);
  node.classList.add('typed');
  node.title = visible([type.about, ...type.examples.map(one => `“${one}”`)].filter(Boolean).join(' · '));
  if (current !== null) node.setAttribute('aria-pressed', type.name === current.type);
  return node;
}

/** The types as buttons, and the guideline. `m` is the mention whose type is shown as pressed. */
export function typesPart(s, m) {
  const offered = palette(s);
  const meant = s.prefix ? offered.filter(t => t.key.startsWith(s.prefix)) : offered.slice(0, SHOWN);
  const more = offered.length - meant.length;
  const name = s.data.locked ? 'all types' : more > 0 ? `${more} more, or another type` : 'another type';
  return [
    ...(s.prefix ? [hint(`${s.prefix} … and the second key of the type`)] : []),
    rowOf(
      ...meant.map(type => typeButton(s, type, m)),
      button(s, '0', name, () => openPanel(s, { kind: 'type', query: '', at: 0 })),
    ),
    ...guidelinePart(s),
  ];
}

const fits = (type, query) => query.split(/\s+/).every(word => type.name.toLowerCase().includes(word));

/** What the search finds: types whose name begins with what was written before those that hold it. */
function found(s) {
  const query = s.panel.query.trim().toLowerCase();
  const begins = t => t.name.toLowerCase().startsWith(query);
  const all = palette(s).filter(t => fits(t, query));
  const known = [...all.filter(begins), ...all.filter(t => !begins(t))];
  const isNew = query && !s.data.locked && !known.some(t => t.name === s.panel.query.trim());
  return isNew ? [...known, { name: s.panel.query.trim(), key: '', note: 'new type' }] : known;
}

function searchField(s, choices, choose) {
  const input = el('input');
  input.value = s.panel.query;
  input.setAttribute('aria-label', 'name of the type');
  input.placeholder = 'name of the type';
  input.oninput = () => {
    Object.assign(s.panel, { query: input.value, at: 0 });
    s.drawPanel();
  };
  input.onkeydown = event => {
    event.stopPropagation();
    if (steps(s, event, choices.length)) return;
    if (event.key === 'Enter' && choices[s.panel.at]) clicked(s, () => choose(choices[s.panel.at]));
    else if (event.key === 'Escape') clicked(s, () => openPanel(s, null));
  };
  return input;
}

/** The searchable palette. */
export function typePanel(s) {
  const m = chosen(s);
  const r = m ? [m.start, m.end] : range(s);
  const choices = found(s);
  const choose = type => {
    s.panel = null;
    setType(s, type.name);
  };
  const note = type => [type.key, type.note ?? type.about].filter(Boolean).join(' · ');
  return [
    heading('Which type?'),
    ...(r ? [quote(s, ...r)] : []),
    searchField(s, choices, choose),
    listOf(choices.map((type, i) => item(s, i === s.panel.at, type.name, note(type), () => choose(type)))),
    ...(choices.length ? [] : [hint('The label set is locked and has no such type.')]),
  ];
}
