// An extension for the pi coding agent: put it into ~/.pi/agent/extensions.
import { scratchpadExtension } from "session-journal/pi";

export default scratchpadExtension({ config: { nudges: { nudgeAfterCompaction: 1 } } });
