// Any figure as a file: the picture as SVG, with the colours it has on screen, or as PNG.
import { el } from './dom.js';

const STYLES = ['fill', 'stroke', 'stroke-width', 'stroke-dasharray', 'fill-opacity', 'opacity', 'font-size', 'color'];
const SCALE = 2;

export function withColours(picture) {
  const copy = picture.cloneNode(true);
  const originals = [picture, ...picture.querySelectorAll('*')];
  [copy, ...copy.querySelectorAll('*')].forEach((node, i) => {
    const seen = getComputedStyle(originals[i]);
    for (const name of STYLES) node.style.setProperty(name, seen.getPropertyValue(name));
    node.style.setProperty('font-family', 'sans-serif');
  });
  return copy;
}

function sized(picture) {
  if (!picture.isConnected) {
    // Drawn for the file: it has its size and its colours already.
    const [width, height] = ['width', 'height'].map(name => Number(picture.getAttribute(name)));
    return { text: new XMLSerializer().serializeToString(picture), width, height };
  }
  const { width, height } = picture.getBoundingClientRect();
  const copy = withColours(picture);
  copy.setAttribute('xmlns', 'http://www.w3.org/2000/svg');
  copy.setAttribute('width', Math.ceil(width));
  copy.setAttribute('height', Math.ceil(height));
  if (!copy.hasAttribute('viewBox')) copy.setAttribute('viewBox', `0 0 ${Math.ceil(width)} ${Math.ceil(height)}`);
  return { text: new XMLSerializer().serializeToString(copy), width, height };
}

function download(href, name) {
  const link = Object.assign(el('a'), { href, download: name });
  link.click();
}

async function savePng({ text, width, height }, name) {
  const image = new Image();
  image.src = 'data:image/svg+xml;charset=utf-8,' + encodeURIComponent(text);
  await image.decode();
  const canvas = Object.assign(el('canvas'), { width: SCALE * width, height: SCALE * height });
  canvas.getContext('2d').drawImage(image, 0, 0, canvas.width, canvas.height);
  download(canvas.toDataURL('image/png'), name);
}

function saveSvg({ text }, name) {
  download('data:image/svg+xml;charset=utf-8,' + encodeURIComponent(text), name);
}

const SAVED = { SVG: saveSvg, PNG: savePng };

/** Small buttons that save what `picture()` gives: an SVG element of the page, or one made for the file. */
export function saveButtons(picture, name, kinds = Object.keys(SAVED)) {
  const box = el('span', 'saving');
  for (const kind of kinds) {
    const button = el('button', 'plain-button', kind);
    button.title = `save the picture as ${kind}`;
    button.onclick = () => SAVED[kind](sized(picture()), `${name}.${kind.toLowerCase()}`);
    box.append(button);
  }
  return box;
}
