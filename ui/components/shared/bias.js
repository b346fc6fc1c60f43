// The knob speaks to every component of the page while it moves, without the server.
import { listen } from './state.js';

const EVENT = 'espalier-bias';

/** Tell every component of the page that the knob moved. */
export function broadcastBias(detail) {
  window.dispatchEvent(new CustomEvent(EVENT, { detail }));
}

/** Call `act(detail)` whenever the knob moves; returns the clean-up function. */
export function onBias(s, act) {
  return listen(s, EVENT, event => act(event.detail));
}

/** Whether a decision with these intervals [[low, high), ...] (null = unbounded) is on at this bias. */
export function isOn(intervals, bias) {
  return intervals.some(([low, high]) => (low === null || bias >= low) && (high === null || bias < high));
}
