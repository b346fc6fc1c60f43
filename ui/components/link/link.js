// Copies the address of this view, which holds everything needed to open it again.
import { el, icon } from '../shared/dom.js';

async function copy(address) {
  if (navigator.clipboard && window.isSecureContext) return navigator.clipboard.writeText(address);
  // Plain http on another host has no clipboard: the old way.
  const box = document.createElement('textarea');
  box.value = address;
  document.body.append(box);
  box.select();
  document.execCommand('copy');
  box.remove();
}

export default function link({ parentElement, data }) {
  const root = parentElement.querySelector('.root');
  if (root.firstChild) return;
  const button = el('button', 'plain-button');
  const words = el('span', '', data.label);
  const say = text => {
    words.textContent = text;
  };
  button.append(icon('link'), words);
  button.title = 'copy the address of exactly this view';
  button.setAttribute('aria-live', 'polite');
  button.onclick = () =>
    copy(window.location.href)
      .then(
        () => say('✓ copied'),
        () => say('copy it from the address bar'),
      )
      .finally(() => setTimeout(() => say(data.label), 1600));
  root.append(button);
}
