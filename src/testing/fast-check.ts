/** The only file that names fast-check, an optional peer: whoever uses `session-journal/testing` has it installed. */
import fc from "fast-check";

export { fc };
