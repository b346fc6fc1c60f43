// The panel of the selected mention: its type, link, chain, relations and comment.
import { el } from '../shared/dom.js';
import {
  ask,
  flip,
  leaveChain,
  openEntity,
  openPanel,
  removeMention,
  removeRelation,
  retype,
  select,
  setEntity,
  setType,
  split,
  startPick,
} from './actions.js';
import { numberOf } from './chips.js';
import { commentPart } from './comment.js';
import { chainOf, chosen, isDoubted, commentOn, relationsOf, words } from './model.js';
import { edit } from './sending.js';
import { button, heading, item, listOf, quote, rowOf, toggle } from './widgets.js';

function typesPart(s, m) {
  const number = i => (i < 9 ? String(i + 1) : '');
  return rowOf(
    ...s.data.types.map((type, i) => toggle(s, number(i), type, m.type === type, () => setType(s, type))),
    button(s, '0', 'another type', () => openPanel(s, { kind: 'type' })),
  );
}

function linkPart(s, m) {
  if (s.panel?.kind === 'entity') return entityPart(s);
  return [
    rowOf(
      button(s, 'e', m.entity === null ? 'Link' : 'Change the link', () => openEntity(s)),
      button(s, 'n', 'NIL', () => setEntity(s, m.id, s.data.nil)),
      m.entity !== null && button(s, 'u', 'No link', () => setEntity(s, m.id, null)),
    ),
  ];
}

/** The entities that can be chosen: what was found, and what was written itself. */
function choicesFor(s) {
  const found = s.data.candidates.id === s.selected ? s.data.candidates.items : [];
  const typed = s.panel.query.trim();
  const isNew = typed && !found.some(c => c.entity === typed);
  return isNew ? [...found, { entity: typed, note: 'new entity' }] : found;
}

function entityPart(s) {
  const choices = choicesFor(s);
  const choose = c => {
    s.panel = null;
    setEntity(s, s.selected, c.entity);
    s.page.focus();
  };
  const input = el('input');
  input.value = s.panel.query;
  input.setAttribute('aria-label', 'search for an entity');
  input.oninput = () => {
    Object.assign(s.panel, { query: input.value, at: 0 });
    ask(s);
    s.drawPanel();
  };
  input.onkeydown = event => {
    event.stopPropagation();
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) {
      event.preventDefault();
      s.panel.at = Math.max(0, Math.min(choices.length - 1, s.panel.at + step));
      s.drawPanel();
    } else if (event.key === 'Enter' && choices[s.panel.at]) {
      event.preventDefault();
      choose(choices[s.panel.at]);
    } else if (event.key === 'Escape') {
      openPanel(s, null);
      s.page.focus();
    }
  };
  return [input, listOf(choices.map((c, i) => item(s, i === s.panel.at, c.entity, c.note, () => choose(c))))];
}

function actionsPart(s, m) {
  const doubted = isDoubted(s, m.id);
  const chained = m.cluster !== null;
  return rowOf(
    button(s, 'c', 'Same chain as', () => startPick(s, 'chain', m.id)),
    button(s, 'r', 'Relation to', () => startPick(s, 'relation', m.id)),
    chained && button(s, 'g', 'Merge chain into', () => startPick(s, 'merge', m.id)),
    chained && button(s, 'x', 'Out of chain', () => leaveChain(s, m)),
    chained && button(s, 's', 'Split chain here', () => split(s)),
    button(s, 't', 'Comment', () => openPanel(s, { kind: 'comment', target: m.id })),
    button(s, 'w', doubted ? 'Gold is right' : 'Gold is wrong', () =>
      edit(s, { kind: 'DoubtGold', target: m.id, doubted: !doubted }),
    ),
    button(s, 'Del', 'Delete', () => removeMention(s, m)),
  );
}

function chainPart(s, m) {
  if (m.cluster === null) return [];
  const chain = chainOf(s, m.cluster);
  return [
    heading(`Chain #${numberOf(s, m.cluster)}, ${chain.length} ${chain.length === 1 ? 'mention' : 'mentions'}`),
    listOf(chain.map(o => item(s, o.id === m.id, words(s, o.start, o.end), '', () => select(s, o.id)))),
  ];
}

/** A relation as seen from one of its ends. */
function relationText(s, m, r) {
  const other = s.view.mentions.get(r.head === m.id ? r.tail : r.head);
  const arrow = r.head === m.id ? `${r.type} → ` : `← ${r.type} `;
  return arrow + (other ? words(s, other.start, other.end) : '') + (commentOn(s, r.id) ? ' ✎' : '');
}

function relationsPart(s, m) {
  const own = relationsOf(s, m.id);
  if (!own.length) return [];
  const opened = s.panel?.kind === 'arcs';
  const show = at => openPanel(s, { kind: 'arcs', at });
  const items = own.map((r, i) => item(s, opened && i === s.panel.at, relationText(s, m, r), '', () => show(i)));
  const parts = [heading('Relations'), listOf(items)];
  if (!opened) return [...parts, rowOf(button(s, 'k', 'Change relations', () => show(0)))];
  const r = own[Math.min(s.panel.at, own.length - 1)];
  return [
    ...parts,
    rowOf(
      button(s, 'Enter', 'Another type', () => retype(s, r)),
      button(s, 'f', 'Turn round', () => flip(s, r)),
      button(s, 't', 'Comment', () => openPanel(s, { kind: 'comment', target: r.id })),
      button(s, 'Del', 'Delete', () => removeRelation(s, r)),
    ),
  ];
}

export function mentionPanel(s) {
  const m = chosen(s);
  return [
    heading('Mention'),
    quote(s, m.start, m.end),
    typesPart(s, m),
    ...linkPart(s, m),
    actionsPart(s, m),
    ...commentPart(s, m.id),
    ...chainPart(s, m),
    ...relationsPart(s, m),
  ];
}
