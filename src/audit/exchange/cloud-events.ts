/** Events as CloudEvents 1.0 in their JSON format: what message buses and event stores of others take. */

import type { RecordedEvent } from "../../event/event.ts";
import { internetTimeOf } from "../../event/iso-time.ts";
import { typeNameOf } from "../../event/parse.ts";
import { spaceOfEvent } from "../../event/types.ts";
import { given } from "../../options.ts";

export interface CloudEvent {
  readonly specversion: "1.0";
  /** Unique within `source`: the commit, which keeps its id wherever it is copied, and the version. */
  readonly id: string;
  readonly source: string;
  /** The type is `io.github.session-journal.` followed by the type of the event. */
  readonly type: string;
  readonly time: string;
  /** The event is about this space. The field is absent if it is about none, or all. */
  readonly subject?: string;
  readonly datacontenttype: "application/json";
  /** The version, in as many digits always: the order of the events, for the extension of that name. */
  readonly sequence: string;
  readonly data: Pick<RecordedEvent, "version" | "turn" | "actor" | "command" | "origin" | "event">;
}

const typePrefix = "io.github.session-journal.";
/** The largest version has so many digits. */
const sequenceDigits = 16;

/** `session` is the id of the session. */
export function cloudEventOf(session: string, recorded: RecordedEvent): CloudEvent {
  const { version, event, at, turn, actor, command, origin, commit, entryId } = recorded;
  const subject = spaceOfEvent(event);
  return {
    specversion: "1.0",
    id: `${commit ?? entryId ?? origin}/${version}`,
    source: `urn:session-journal:${encodeURIComponent(session)}`,
    type: `${typePrefix}${typeNameOf(event)}`,
    time: internetTimeOf(at),
    ...(subject === null ? {} : { subject }),
    datacontenttype: "application/json",
    sequence: String(version).padStart(sequenceDigits, "0"),
    data: { version, turn, actor, ...given({ command }), origin, event },
  };
}
