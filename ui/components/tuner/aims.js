// One control for what somebody wants: the highest of a score, or enough of something. It finds the step that gives it.
import { el } from '../shared/dom.js';
import { bestIndex, indexForPrecision, indexForRecall, insideOf } from '../strip/path.js';

const NEEDS_NUMBER = { precision: 90, recall: 50, answers: 100 };

function stepFor(s, aim, wish) {
  if (aim === 'f') return bestIndex(s.path, s.beta);
  if (aim === 'precision') return indexForPrecision(s.path, wish / 100);
  if (aim === 'recall') return indexForRecall(s.path, wish / 100);
  if (aim === 'answers') return s.path.predicted.findIndex(n => n <= wish);
  return null;
}

/** The step and the bias that reach the aim; null where none does. */
export function reach(s) {
  const aim = s.aim.value;
  if (aim.startsWith('score ')) {
    const one = s.scores[+aim.slice(6)];
    const best = one.values.reduce((at, value, k) => (value > one.values[at] ? k : at), 0);
    return { bias: one.bias[best] };
  }
  const index = stepFor(s, aim, +s.wish.value);
  return index === null || index < 0 ? null : { bias: insideOf(s.path, index) };
}

export function aimBox(s, go) {
  const box = el('div', 'aim');
  s.aim = el('select');
  s.aim.setAttribute('aria-label', 'what to go for');
  s.wish = el('input');
  Object.assign(s.wish, { type: 'number', min: 0, step: 1 });
  s.wish.setAttribute('aria-label', 'how much of it');
  s.unreached = el('span', 'unreached');
  s.unreached.setAttribute('role', 'status');
  const button = el('button', 'plain-button', 'Go there');
  s.aim.onchange = () => adapt(s);
  button.onclick = go;
  s.wish.onkeydown = event => {
    if (event.key === 'Enter') go();
  };
  box.append(el('span', 'muted', 'Go for'), s.aim, s.wish, button, s.unreached);
  fillAims(s);
  return box;
}

/** The aims that there are; they change with beta and with the scores that are known along the bias. */
export function fillAims(s) {
  const before = s.aim.value || 'f';
  const named = {
    f: `the highest F${s.beta}`,
    precision: 'precision of at least',
    recall: 'recall of at least',
    answers: 'at most so many answers',
  };
  s.scores.forEach((one, k) => (named[`score ${k}`] = `the highest ${one.name}`));
  s.aim.replaceChildren(
    ...Object.entries(named).map(([value, text]) => Object.assign(el('option', '', text), { value })),
  );
  s.aim.value = before in named ? before : 'f';
  adapt(s);
}

function adapt(s) {
  const usual = NEEDS_NUMBER[s.aim.value];
  s.wish.hidden = usual === undefined;
  if (usual !== undefined) s.wish.value = s.aim.value === 'answers' ? s.path.gold : usual;
  s.unreached.textContent = '';
}
