// The column beside the text: what is selected and everything that can be done to it, each with its key.
import { visible } from '../shared/dom.js';
import { accept, correct, join, openPanel, reject, setType, takeRelation, toggleLabel } from './actions.js';
import { suggestionChip } from './chips.js';
import { documentPanel } from './document-panel.js';
import { mentionPanel } from './mention-panel.js';
import { chosen, licensed, range, suggestionOf } from './model.js';
import { edit } from './sending.js';
import { button, field, heading, hint, item, listOf, quote, rowOf } from './widgets.js';

const PICKS = { chain: 'Same chain as …', merge: 'Merge its chain into …', relation: 'Relation to …' };

function pickPanel(s) {
  const from = s.view.mentions.get(s.pick.from);
  return [
    heading(PICKS[s.pick.what]),
    ...(from ? [quote(s, from.start, from.end)] : []),
    hint('Go to the other mention with Tab or click it, then Enter. Esc leaves.'),
  ];
}

/** The types that are offered for a relation, each with the number that takes it. */
function typeItems(s, types, at) {
  return types.map((t, i) => item(s, i === at, t.type, i < 9 ? String(i + 1) : '', () => takeRelation(s, t.type)));
}

/** A name of one's own for a relation, where it is wanted or nothing else is offered. */
function ownType(s, wanted) {
  if (wanted) return field(s, 'name of the relation', '', type => takeRelation(s, type));
  return button(s, '0', 'Another relation', () => openPanel(s, { ...s.panel, naming: true }));
}

/** Both ends of the relation that the panel is about; nothing where one of them is gone. */
function endsOf(s) {
  const ends = [s.panel.from, s.panel.to].map(id => s.view.mentions.get(id));
  return ends.includes(undefined) ? [] : ends;
}

function relationPanel(s) {
  const { from, to, id, at, naming } = s.panel;
  const ends = endsOf(s);
  if (!ends.length) return [];
  const types = licensed(s, from, to);
  return [
    heading(id ? 'Which relation instead?' : 'Which relation?'),
    ...ends.map(m => quote(s, m.start, m.end)),
    listOf(typeItems(s, types, at)),
    ...(types.length ? [] : [hint('No relation was seen between these types before.')]),
    ownType(s, naming || !types.length),
  ];
}

/** One mention was dropped on another. */
function dropPanel(s) {
  const { from, to, naming } = s.panel;
  const ends = endsOf(s);
  if (!ends.length) return [];
  const types = licensed(s, from, to);
  const chain = whole => () => {
    s.panel = null;
    join(s, from, to, whole);
  };
  return [
    heading('What holds between them?'),
    ...ends.map(m => quote(s, m.start, m.end)),
    listOf([
      item(s, false, 'same chain', 'c', chain(false)),
      item(s, false, 'merge the chains', 'g', chain(true)),
      ...typeItems(s, types, -1),
    ]),
    ...(types.length ? [] : [hint('No relation was seen between these types before.')]),
    ownType(s, naming),
  ];
}

function labelsPanel(s) {
  const { labelChoices: labels } = s.data;
  const ticked = label => (s.view.labels.includes(label) ? '✓ ' : '') + label;
  const add = label => {
    s.panel = null;
    edit(s, { kind: 'SetLabel', label, holds: true });
  };
  return [
    heading('Labels of the document'),
    listOf(labels.map((label, i) => item(s, i === s.panel.at, ticked(label), '', () => toggleLabel(s, label)))),
    s.panel.naming || !labels.length
      ? field(s, 'name of the label', '', add)
      : hint('Arrows and Enter; 0 writes a new one; Esc leaves.'),
  ];
}

function typePanel(s) {
  const m = chosen(s);
  const r = m ? [m.start, m.end] : range(s);
  const take = type => {
    s.panel = null;
    setType(s, type);
  };
  return [
    heading('Which type?'),
    ...(r ? [quote(s, ...r)] : []),
    field(s, 'name of the type', m?.type ?? '', take, { known: s.data.types }),
  ];
}

function suggestionPanel(s) {
  const x = suggestionOf(s);
  const parts = [
    heading(x.by && x.score === null ? `Suggested by ${visible(x.by)}` : 'Suggested by the model'),
    ...(x.kind === 'label' ? [] : [quote(s, x.start, x.end)]),
    suggestionChip(s, x),
    rowOf(
      button(s, 'Enter', 'Accept', () => accept(s, [x.key])),
      button(s, 'Del', 'Reject', () => reject(s, [x.key])),
    ),
  ];
  if (x.kind === 'label') return parts;
  const types = s.data.types.slice(0, 9).map((type, i) => button(s, String(i + 1), type, () => setType(s, type)));
  return [
    ...parts,
    hint('Or say what it is instead:'),
    rowOf(
      ...types,
      button(s, 'e', 'Link to another', () => correct(s)),
    ),
  ];
}

const PANELS = { relation: relationPanel, drop: dropPanel, labels: labelsPanel, type: typePanel };

function partsOf(s) {
  if (s.pick) return pickPanel(s);
  if (PANELS[s.panel?.kind]) return PANELS[s.panel.kind](s);
  if (suggestionOf(s)) return suggestionPanel(s);
  return chosen(s) ? mentionPanel(s) : documentPanel(s);
}

/** Draw the panel anew; a field that is written in keeps its cursor. */
export function drawPanel(s) {
  const parts = partsOf(s);
  const focused = s.why.querySelector('input:focus');
  const caret = focused && [focused.selectionStart, focused.selectionEnd];
  s.why.replaceChildren(...parts);
  const input = s.why.querySelector('input');
  if (input) {
    input.focus({ preventScroll: true });
    if (caret) input.setSelectionRange(...caret);
    else input.select();
  }
  s.why.querySelector('li.at')?.scrollIntoView?.({ block: 'nearest' });
}
