// Lanes for arcs beside a list: arcs that share rows run in different lanes, short ones in the inner lanes.

const MOST = 24; // beyond that lanes would be too narrow to tell apart

/** Lane of each row's arc to its head (undefined where it has none), and how many lanes there are. */
export function lanesOf(heads) {
  const lanes = [];
  const taken = [];
  const arcs = heads.flatMap((head, i) => (head >= 0 ? [{ i, from: head, to: i }] : []));
  for (const { i, from, to } of arcs.sort((a, b) => a.to - a.from - (b.to - b.from) || a.from - b.from)) {
    let lane = taken.findIndex(others => !others.some(other => other.from < to && from < other.to));
    if (lane < 0) lane = taken.length < MOST ? taken.push([]) - 1 : MOST - 1;
    taken[lane].push({ from, to });
    lanes[i] = lane;
  }
  return { lanes, count: taken.length };
}
