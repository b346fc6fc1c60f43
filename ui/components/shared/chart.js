// Charts in a plane of 1000 by 100, stretched to their box.
import { svg } from './dom.js';

export function chart(title) {
  const picture = svg('svg', { viewBox: '0 0 1000 100', preserveAspectRatio: 'none', role: 'img', class: 'chart' });
  picture.append(Object.assign(svg('title'), { textContent: title }));
  return picture;
}

/** A line through points [x, y], y from the bottom. */
export function lineThrough(points) {
  return points.map(([x, y], k) => `${k ? 'L' : 'M'}${x.toFixed(1)} ${(100 - y).toFixed(2)}`).join('');
}
