/** Parts that tell of the whole history are made anew when it has grown. */
import { element } from "./dom.ts";
import { type Model, scoped } from "./model.ts";

/** Parts that take long to make wait for a quiet moment. */
const quietMs = 300;

/** `isBelow`: what stands below the first window of a long history is drawn after it. */
export function renewed(model: Model, make: (model: Model) => readonly HTMLElement[], isBelow = false): HTMLElement {
  const holder = element("div", { class: "renewed" });
  let last = new AbortController();
  const draw = (): void => {
    // Whoever works in it is not disturbed.
    if (holder.contains(document.activeElement)) {
      wait();
      return;
    }
    last.abort();
    last = new AbortController();
    holder.replaceChildren(...make(scoped(model, last.signal)));
  };
  let soon: ReturnType<typeof setTimeout> | undefined;
  const wait = (): void => {
    clearTimeout(soon);
    if (!model.signal.aborted) soon = setTimeout(draw, quietMs);
  };
  model.onGrow(wait);
  if (isBelow && model.isLong) wait();
  else draw();
  return holder;
}
