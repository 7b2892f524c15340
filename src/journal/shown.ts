/** What a model was shown, as a journal records it on request. */
import { hash } from "node:crypto";
import type { ScratchpadEvent, Version } from "../event/event.ts";
import type { Shown, ShownPlace } from "../event/shown.ts";
import { parseName, parseVersion } from "./options.ts";

const places: readonly ShownPlace[] = ["system", "message", "context", "resource", "prompt", "earlier"];

const digestLength = 16;

/** Throws a TypeError for what is neither. */
export function shownEvent(shown: Shown, newest: Version): ScratchpadEvent {
  if ("nudge" in shown) {
    if (typeof shown.text !== "string") throw new TypeError("a nudge that was shown has a text");
    return { type: "nudge.shown", kind: parseName("nudge", shown.nudge), text: shown.text.toWellFormed() };
  }
  const { block, place, version = newest } = shown;
  if (typeof block !== "string" || !places.includes(place)) {
    throw new TypeError(
      `what was shown is { nudge, text } or { block, place }, and a place one of ${places.join(", ")}`,
    );
  }
  const digest = hash("sha256", block.toWellFormed(), "hex").slice(0, digestLength);
  return { type: "prompt.shown", shows: parseVersion("version", version), digest, chars: block.length, place };
}
