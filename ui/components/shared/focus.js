// After a click the keyboard goes on in what the click opened. Another component draws that, when the server has
// answered, and may be mounted anew by then: so the claim waits in the window, not in the component, and not for long.

const PATIENCE = 8000;

/** The component of this name shall have the focus once it shows what was asked for. */
export function claimFocus(name) {
  window.espalierFocus = { name, until: Date.now() + PATIENCE };
}

/** Whether the focus was claimed for this component; a claim is taken once. */
export function takeFocus(name) {
  const claim = window.espalierFocus;
  if (claim?.name !== name) return false;
  delete window.espalierFocus;
  return Date.now() < claim.until;
}
