// The buttons below a Plotly figure. Plotly draws several layers of SVG on top of each other: the file has them all.
import { svg } from '../shared/dom.js';
import { saveButtons, withColours } from '../shared/saving.js';

/** The figure in the same container as the buttons. */
function plotBeside(node) {
  let at = node;
  while (at && !at.querySelector('.js-plotly-plot')) at = at.parentElement;
  return at.querySelector('.js-plotly-plot');
}

function pictureOf(plot) {
  const { width, height } = plot.getBoundingClientRect();
  const ground = getComputedStyle(plot.closest('.stApp')).backgroundColor;
  const picture = svg('svg', {
    xmlns: 'http://www.w3.org/2000/svg',
    width: Math.ceil(width),
    height: Math.ceil(height),
  });
  picture.append(svg('rect', { width: '100%', height: '100%', fill: ground }));
  picture.append(...[...plot.querySelectorAll('.main-svg')].map(withColours));
  return picture;
}

export default function chart({ parentElement, data }) {
  const root = parentElement.querySelector('.root');
  if (root.firstChild) return;
  root.append(saveButtons(() => pictureOf(plotBeside(parentElement.host)), data.name));
}
