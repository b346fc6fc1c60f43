// Numbers as they are shown everywhere.

export const percent = x => (100 * x).toFixed(1);

/** Counts with thin spaces. */
export const count = n => String(n).replace(/\B(?=(\d{3})+(?!\d))/g, '\u2009');

/** How many there are: "1 entity", "2 entities". */
export const counted = (n, one, many = `${one}s`) => `${count(n)} ${n === 1 ? one : many}`;

/** Three significant digits, with a real minus sign. */
export function three(x) {
  if (x === null || x === undefined || Number.isNaN(x)) return '–';
  if (!Number.isFinite(x)) return x > 0 ? '∞' : '−∞';
  if (x === 0) return '0';
  const size = Math.abs(x);
  const digits = size >= 1e5 || size < 1e-3 ? x.toExponential(2) : Number(x.toPrecision(3)).toString();
  return digits.replace('-', '−');
}
