// An extension for the pi coding agent: pi --extension ./pi.mjs, or put it into ~/.pi/agent/extensions.
import { scratchpadExtension } from "session-journal/pi";

export default scratchpadExtension({ config: { nudges: { nudgeAfterCompaction: 1 } } });
