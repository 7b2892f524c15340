/** `session-journal/workspace`: what lies in files of a folder. */
export { openPad } from "../open-pad.ts";
export type { Pad } from "../workspace/pad.ts";
export type { PadFinding, PadFindingCode } from "../workspace/pad-finding.ts";
