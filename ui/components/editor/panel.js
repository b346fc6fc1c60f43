// The column beside the text: what is selected and everything that can be done to it, each with its key.
import { visible } from '../shared/dom.js';
import { accept, correct, join, openPanel, reject, takeRelation, toggleLabel } from './actions.js';
import { suggestionChip } from './chips.js';
import { commentPanel } from './comment.js';
import { documentPanel } from './document-panel.js';
import { mentionPanel } from './mention-panel.js';
import { chosen, licensed, suggestionOf } from './model.js';
import { edit } from './sending.js';
import { typePanel, typesPart } from './types.js';
import { button, field, heading, hint, item, listOf, openField, quote, rowOf } from './widgets.js';

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
  if (s.data.locked) return hint('The label set is locked: it takes no other relations.');
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
    (s.panel.naming || !labels.length) && !s.data.locked
      ? field(s, 'name of the label', '', add)
      : hint('Arrows and Enter; 0 writes a new one; Esc leaves.'),
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
  return [
    ...parts,
    hint('Or say what it is instead:'),
    ...typesPart(s, null),
    ...(s.data.links ? [rowOf(button(s, 'e', 'Link to another', () => correct(s)))] : []),
  ];
}

const PANELS = {
  relation: relationPanel,
  drop: dropPanel,
  labels: labelsPanel,
  type: typePanel,
  comment: commentPanel,
};

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
  // Somebody who has gone on elsewhere on the page, to write there, is not called back.
  const opened = s.panel !== s.drawnPanel;
  s.drawnPanel = s.panel;
  s.why.replaceChildren(...parts);
  const input = openField(s);
  if (input && (focused || opened)) {
    input.focus({ preventScroll: true });
    if (caret) input.setSelectionRange(...caret);
    else input.select();
  }
  s.why.querySelector('li.at')?.scrollIntoView?.({ block: 'nearest' });
}
