// One client writes one session: node write-session.mjs <URL of its session manager> <folder>
import { freeze } from "./frozen.mjs";
import { tell } from "./story.mjs";

const [sessionManagerUrl, folder] = process.argv.slice(2);
const clock = freeze("2026-03-09T13:02:11.417Z", 20260309);
const { SessionManager } = await import(sessionManagerUrl);

const session = SessionManager.create("/home/dev/acme-auth", folder);
tell(session, clock);
console.log(session.getSessionFile());
