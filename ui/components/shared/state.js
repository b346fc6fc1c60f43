// What a component keeps from one update to the next, and what it listens to.

const STATES = new WeakMap();

/** The state kept with a mounted component; `make` gets the root element at the first mount. */
export function stateOf(parentElement, make) {
  const root = parentElement.querySelector('.root');
  if (!STATES.has(root)) STATES.set(root, make(root));
  return STATES.get(root);
}

/** Listen on window once per component, however often its function runs; `act` may be replaced at each run.
 *  Returns the clean-up function. */
export function listen(s, name, act) {
  s.acts ??= {};
  s.listeners ??= {};
  s.acts[name] = act;
  if (!s.listeners[name]) {
    s.listeners[name] = event => s.acts[name](event);
    window.addEventListener(name, s.listeners[name]);
  }
  return () => {
    window.removeEventListener(name, s.listeners[name]);
    delete s.listeners[name];
  };
}

/** Whether a key goes into a field where somebody writes. */
export function isTyping(event) {
  const target = event.composedPath()[0];
  if (!(target instanceof Element)) return false;
  return (/^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName) && target.type !== 'range') || target.isContentEditable;
}
