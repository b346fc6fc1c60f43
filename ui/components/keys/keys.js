// Keys that work everywhere: [ and ] step through documents, ? shows what the keys are.
// Steps wait in a queue until the server has acted on them, so that fast presses are never lost between two messages.

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
  const s = stateOf(root, () => ({ root }));
  s.data = data;
  // Kept with the window, not with the node: a page switch mounts a new node while steps may still be on their way.
  const steps = window.espalierSteps = window.espalierSteps || { queue: [], last: Date.now() };
  steps.queue = steps.queue.filter(step => step.id > data.done);
  // A message of a node that was taken away at that moment never left: what still waits is sent again, once.
  if (data.steps && steps.queue.length && steps.again !== steps.last) {
    steps.again = steps.last;
    setStateValue('steps', steps.queue.slice());
  }
  root.dataset.keys = 'ready';
  root.dataset.steps = data.steps ? 'ready' : 'none';
  return listen(s, 'keydown', event => {
    // While a page is switched two of these nodes may listen for a moment: the first one acts.
    if (event.defaultPrevented) return;
    if (event.ctrlKey || event.metaKey || (event.altKey && !event.getModifierState('AltGraph')) || isTyping(event)) return;
    const by = { '[': -1, ']': 1 }[event.key];
    if (by && s.data.steps) {
      event.preventDefault();
      steps.last += 1;
      steps.queue.push({ id: steps.last, by });
      setStateValue('steps', steps.queue.slice());
    } else if (event.key === '?') {
      event.preventDefault();
      const open = s.root.querySelector('dialog');
      if (open) open.close(); else sheet(s);
    }
  });
}
