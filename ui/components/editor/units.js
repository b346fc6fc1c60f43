// Units the cursor moves by: words, words by the browser's dictionary, or what a reader sees as one character.

// Scripts that write words without spaces between them.
const UNSPACED = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/u;
const WORDS = new RegExp(`${UNSPACED.source}\\p{M}*|(?:(?!${UNSPACED.source})[\\p{L}\\p{N}\\p{M}_])+|\\s+|.`, 'gsu');
const LONGEST_WORD = 6; // on average, of words that a tokenizer found in such a script

export const isUnspaced = text => UNSPACED.test(text);

/** The modes that make a difference for this text, the first one being where it opens. */
export const modesOf = text => (isUnspaced(text) ? ['word', 'character', 'dictionary'] : ['word', 'character']);

function segmented(text, granularity) {
  return Array.from(new Intl.Segmenter(undefined, { granularity }).segment(text), x => x.segment);
}

function pieced(text, mode) {
  if (mode === 'character') return segmented(text, 'grapheme');
  if (mode === 'dictionary') return segmented(text, 'word');
  return Array.from(text.matchAll(WORDS), m => m[0]);
}

/** Pieces of a text as [start, end), from a place on. */
function placed(pieces, from, keepsBlanks) {
  const units = [];
  let at = from;
  for (const piece of pieces) {
    const length = Array.from(piece).length;
    if (keepsBlanks || !/^\s+$/u.test(piece)) units.push([at, at + length]);
    at += length;
  }
  return units;
}

/** Tokens of the document. Where blanks were taken for the ends of words in a script that has none, a token is a whole
 *  clause: there every character is a unit. */
function tokensOf({ text, tokens }) {
  const all = Array.from(text);
  const texts = tokens.map(([a, b]) => all.slice(a, b).join(''));
  const unspaced = texts.filter(isUnspaced);
  const length = unspaced.reduce((sum, one) => sum + Array.from(one).length, 0) / (unspaced.length || 1);
  if (length <= LONGEST_WORD) return tokens;
  return tokens.flatMap(([a, b], i) => (isUnspaced(texts[i]) ? placed(pieced(texts[i], 'word'), a, false) : [[a, b]]));
}

export function unitsOf(data, mode) {
  if (mode === 'word' && data.tokens.length) return tokensOf(data);
  return placed(pieced(data.text, mode), 0, mode === 'character');
}
