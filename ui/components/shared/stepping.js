// Moving a cursor by keys.

/** The item `by` places on from the one at `at`: stops at both ends; the first where nothing is current (-1). */
export function stepFrom(items, at, by) {
  return items[Math.max(0, Math.min(items.length - 1, at < 0 ? 0 : at + by))];
}
