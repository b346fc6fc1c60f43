// Parts of the chart's frame: numbers, boxes of choices, the legend, and what is said at the cursor.
import { el } from '../shared/dom.js';
import { count, percent } from '../shared/numbers.js';

function signed(n) {
  return (n < 0 ? '−' : '+') + count(Math.abs(n));
}

/** What is answered at the cursor, and what that changes against the kept bias. */
export function noteAt(s) {
  const { predicted, correct, gold } = s.path;
  const [i, home] = [s.index, s.homeIndex];
  const right = correct[i] - correct[home];
  const wrong = predicted[i] - correct[i] - (predicted[home] - correct[home]);
  const change = i === home ? '' : ` · against the kept bias ${signed(right)} right, ${signed(wrong)} wrong`;
  return `${count(correct[i])} right of ${count(predicted[i])} ${s.unit}, ${count(gold)} in gold${change}`;
}

/** The other score at the nearest bias at which it was computed. */
export function scoreAt(s) {
  if (!s.score) return '–';
  const near = s.score.bias.reduce(
    (at, x, k) => (Math.abs(x - s.bias) < Math.abs(s.score.bias[at] - s.bias) ? k : at),
    0,
  );
  return (s.score.bias[near] === s.bias ? '' : '≈ ') + percent(s.score.values[near]);
}

function number(name, kind) {
  const box = el('div');
  const title = el('div', `name ${kind}`, name);
  const value = el('div', 'value');
  box.append(title, value);
  return { box, title, value };
}

export function numbersBox(s, data) {
  const box = el('div', 'numbers');
  const [p, r, f] = data.names.map((name, k) => number(name, ['precision', 'recall', 'f'][k]));
  const score = number('', 'extra');
  s.fName = f.title;
  s.scoreBox = score;
  Object.assign(s.out, { p: p.value, r: r.value, f: f.value, score: score.value });
  box.append(p.box, r.box, f.box, score.box);
  return box;
}

/** A box of choices: { value: text }. */
export function chosen(options, value, name, act) {
  const select = el('select');
  for (const [key, text] of Object.entries(options)) {
    select.append(Object.assign(el('option', '', text), { value: key }));
  }
  select.value = value;
  select.setAttribute('aria-label', name);
  select.onchange = () => act(select.value);
  return select;
}

export function legendBox(data) {
  const box = el('div', 'legend');
  data.others.forEach((one, k) => {
    const line = el('span', `key rival${k % 4}`);
    box.append(line, el('span', '', `${one.label}: ${one.note}`));
  });
  if (data.band) box.append(el('span', 'key shade'), el('span', '', data.bandNote));
  return box;
}
