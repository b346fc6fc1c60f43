// Keys that work everywhere: [ and ] step through documents, ? shows what the keys are.
// Steps are a running total in a state value, so that fast presses are never lost between two messages.

function sheet(s) {
  const dialog = el('dialog');
  dialog.append(el('h2', '', 'Keys'));
  const list = el('dl');
  for (const [keys, meaning] of s.data.keys) {
    const term = el('dt');
    for (const key of keys) term.append(el('kbd', '', key));
    list.append(term, el('dd', '', meaning));
  }
  dialog.append(list);
  dialog.onclick = () => dialog.close();
  dialog.onclose = () => dialog.remove();
  s.root.append(dialog);
  dialog.showModal();
}

export default function ({ parentElement, data, setStateValue }) {
  const root = parentElement.querySelector('.root');
  const s = stateOf(root, () => ({ root, total: 0 }));
  s.data = data; s.send = setStateValue;
  s.total = Math.abs(data.done) > Math.abs(s.total) && !s.stepped ? data.done : s.total;
  const listener = event => {
    if (event.ctrlKey || event.metaKey || event.altKey && !event.getModifierState('AltGraph') || isTyping(event)) return;
    const step = { '[': -1, ']': 1 }[event.key];
    if (step && s.data.steps) {
      event.preventDefault();
      s.stepped = true;
      s.total += step;
      s.send('steps', s.total);
    } else if (event.key === '?') {
      const open = s.root.querySelector('dialog');
      if (open) open.close(); else sheet(s);
    }
  };
  window.addEventListener('keydown', listener);
  return () => window.removeEventListener('keydown', listener);
}
