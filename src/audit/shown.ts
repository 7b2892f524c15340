/** This file says what a model was shown of its scratchpad, if that was recorded, and what it did next. */
import type { RecordedEvent, Version } from "../event/event.ts";
import { typeOf } from "../event/types.ts";

/** This is one block, hint or warning that was shown. */
export interface ShownToModel {
  /** This is the version of the event that recorded it. */
  readonly version: Version;
  /** It was shown in this turn. */
  readonly turn: number;
  /** This is an ISO time. */
  readonly at: string;
  /** This is the actor under whom the host recorded it. */
  readonly actor: string;
  /** This is `prompt` for a block, or the name of a hint or warning. */
  readonly kind: string;
  /** A block has the version that it shows, its digest, its length in UTF-16 code units, and its place. */
  readonly shows?: Version;
  readonly digest?: string;
  readonly chars?: number;
  readonly place?: string;
  /** This is the text of a hint or a warning. */
  readonly text?: string;
  /** This is what was done at the scratchpad until the next block was shown. It is empty if nothing followed a hint. */
  readonly next: readonly Version[];
}

type Following = ShownToModel & { readonly next: Version[] };

/**
 * Lists what a model was shown, in the order of the events. Only what was recorded is known.
 *
 * @param events A history from its start, as `journal.history()` gives it.
 * @throws What `events` throws, if it is a generator.
 * @example
 * const events = [];
 * for await (const event of journal.history()) events.push(event);
 * shownIn(events).filter(({ kind }) => kind === "prompt").length;
 */
export function shownIn(events: Iterable<RecordedEvent>): ShownToModel[] {
  const shown: Following[] = [];
  /** These were shown together, and are followed by the same events. */
  let open: Following[] = [];
  let isFollowed = false;
  for (const recorded of events) {
    const one = shownBy(recorded);
    if (one !== undefined) {
      if (isFollowed || one.kind === "prompt") open = [];
      isFollowed = false;
      shown.push(one);
      open.push(one);
    } else if (typeOf(recorded.event).isUse || recorded.event.type === "action.refused") {
      isFollowed = true;
      for (const { next } of open) next.push(recorded.version);
    }
  }
  return shown;
}

function shownBy({ version, turn, at, actor, event }: RecordedEvent): Following | undefined {
  const when = { version, turn, at, actor, next: [] };
  if (event.type === "nudge.shown") return { ...when, kind: event.kind, text: event.text };
  if (event.type !== "prompt.shown") return undefined;
  const { shows, digest, chars, place } = event;
  return { ...when, kind: "prompt", shows, digest, chars, place };
}
