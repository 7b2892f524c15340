/** Parts that tell of the whole history are made anew when it has grown. */
import { element } from "./dom.ts";
import { type Model, scoped } from "./model.ts";

/** Parts that take long to make wait for a quiet moment, but not for ever. */
const quietMs = 300;
const waitMsMax = 1_000;
/** Making them takes at most such a part of the time. */
const drawShareMin = 10;

/** `isBelow`: what stands below the first window of a long history is drawn after it. */
export function renewed(model: Model, make: (model: Model) => readonly HTMLElement[], isBelow = false): HTMLElement {
  const holder = element("div", { class: "renewed" });
  let last = new AbortController();
  let soon: ReturnType<typeof setTimeout> | undefined;
  let dueMs: number | undefined;
  let tookMs = 0;
  const draw = (): void => {
    dueMs = undefined;
    // It is asked again when they are there.
    if (isBelow && model.awaited > 0) return;
    // Whoever works in it is not disturbed.
    if (holder.contains(document.activeElement)) {
      wait();
      return;
    }
    last.abort();
    last = new AbortController();
    const beganMs = performance.now();
    holder.replaceChildren(...make(scoped(model, last.signal)));
    tookMs = performance.now() - beganMs;
  };
  const wait = (): void => {
    clearTimeout(soon);
    const nowMs = performance.now();
    dueMs ??= nowMs + Math.max(waitMsMax, tookMs * drawShareMin);
    if (!model.signal.aborted) soon = setTimeout(draw, Math.min(quietMs, dueMs - nowMs));
  };
  model.onGrow(wait);
  if (isBelow && model.isLong) wait();
  else draw();
  return holder;
}
