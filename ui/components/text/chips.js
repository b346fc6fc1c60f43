// The chip behind a span: its number, its label and a sign that says whether it is right.
import { appendVisible, el, icon, visible } from '../shared/dom.js';
import { colourOf, predictedAt } from './bars.js';

const LONGEST = 30; // characters of a chip; the whole text is its tooltip

function signOf(span, predicted) {
  if (predicted) return span.gold ? '✓' : '✗';
  return span.gold ? '∅' : '';
}

export function describe(span, bias, judged) {
  const predicted = predictedAt(span, bias);
  const number = span.number === null ? '' : String(span.number);
  const sign = judged ? signOf(span, predicted) : '';
  return { predicted, words: [number, span.label, sign].filter(Boolean).join(' ') };
}

function shortened(words) {
  const letters = Array.from(words);
  return letters.length > LONGEST ? letters.slice(0, LONGEST - 3).join('') + '…' + letters.slice(-2).join('') : words;
}

export function chipFor(s, span, select) {
  const chip = el('span', 'chip');
  chip.style.setProperty('--colour', colourOf(span));
  chip.onclick = event => {
    event.stopPropagation();
    select(span.key);
  };
  s.chips.set(span.key, chip);
  refreshChip(s, span);
  return chip;
}

export function refreshChip(s, span) {
  const chip = s.chips.get(span.key);
  if (!chip) return;
  const { predicted, words } = describe(span, s.bias, s.judged);
  chip.replaceChildren(...(span.pinned ? [icon('keep')] : []));
  appendVisible(chip, shortened(words));
  chip.title = visible(words);
  // A declined decision (offered, but off at this bias, and not gold) leaves no chip.
  chip.classList.toggle('hidden', !words || (!predicted && !span.gold));
  chip.classList.toggle('declined', !predicted);
}
