// The panel of the selected mention: its type, link, chain, relations and comment.
import { el } from '../shared/dom.js';
import {
  alike,
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
  split,
  startPick,
} from './actions.js';
import { numberOf } from './chips.js';
import { openComment, threadPart } from './comment.js';
import { choicesFor } from './entities.js';
import { chainOf, chosen, isDoubted, relationsOf, threadOn, words } from './model.js';
import { edit } from './sending.js';
import { typesPart } from './types.js';
import { button, heading, hint, item, listOf, quote, rowOf, steps } from './widgets.js';

function linkPart(s, m) {
  if (s.panel?.kind === 'entity') return entityPart(s);
  if (!s.data.links && m.entity === null) return [];
  return [
    rowOf(
      button(s, 'e', m.entity === null ? 'Link' : 'Change the link', () => openEntity(s)),
      button(s, 'n', 'NIL', () => setEntity(s, m.id, s.data.nil)),
      m.entity !== null && button(s, 'u', 'No link', () => setEntity(s, m.id, null)),
    ),
  ];
}

function entityPart(s) {
  const { choices, searching } = choicesFor(s);
  const choose = c => {
    s.panel = null;
    setEntity(s, s.selected, c.entity);
    s.page.focus();
  };
  const input = el('input');
  input.value = s.panel.query;
  input.setAttribute('aria-label', 'search for an entity');
  input.oninput = () => {
    Object.assign(s.panel, { query: input.value, at: 0, typed: true, entered: false });
    ask(s);
    s.drawPanel();
  };
  input.onkeydown = event => {
    event.stopPropagation();
    if (steps(s, event, choices.length)) return;
    if (event.key === 'Enter' && searching && !s.panel.entered) {
      // What fits is not known yet: it is taken as soon as it is. Pressed again, what is on the list counts.
      s.panel.entered = true;
      s.drawPanel();
    } else if (event.key === 'Enter' && choices[s.panel.at]) {
      event.preventDefault();
      choose(choices[s.panel.at]);
    } else if (event.key === 'Escape') {
      openPanel(s, null);
      s.page.focus();
    }
  };
  if (s.panel.entered && !searching && choices[s.panel.at]) queueMicrotask(() => choose(choices[s.panel.at]));
  return [
    input,
    listOf(choices.map((c, i) => item(s, i === s.panel.at, c.entity, c.note, () => choose(c)))),
    ...(searching ? [hint('searching …')] : []),
  ];
}

function actionsPart(s, m) {
  const doubted = isDoubted(s, m.id);
  const chained = m.cluster !== null;
  return rowOf(
    s.data.chains && button(s, 'c', 'Same chain as', () => startPick(s, 'chain', m.id)),
    button(s, 'r', 'Relation to', () => startPick(s, 'relation', m.id)),
    chained && button(s, 'g', 'Merge chain into', () => startPick(s, 'merge', m.id)),
    chained && button(s, 'x', 'Out of chain', () => leaveChain(s, m)),
    chained && button(s, 's', 'Split chain here', () => split(s)),
    button(s, 't', 'Comment', () => openComment(s, m.id)),
    s.data.alike && button(s, 'a', 'All like this', () => alike(s, m)),
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
  return arrow + (other ? words(s, other.start, other.end) : '') + (threadOn(s, r.id).length ? ' ✎' : '');
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
      button(s, 't', 'Comment', () => openComment(s, r.id)),
      button(s, 'Del', 'Delete', () => removeRelation(s, r)),
    ),
  ];
}

/** Who agreed on it, where gold was made from several layers. */
function agreedPart(s, m) {
  const names = s.view.agreed.get(m.id);
  return names ? [hint(`agreed by ${names.join(', ')}`)] : [];
}

export function mentionPanel(s) {
  const m = chosen(s);
  return [
    heading('Mention'),
    quote(s, m.start, m.end),
    ...agreedPart(s, m),
    ...typesPart(s, m),
    ...linkPart(s, m),
    actionsPart(s, m),
    ...threadPart(s, m.id),
    ...chainPart(s, m),
    ...relationsPart(s, m),
  ];
}
