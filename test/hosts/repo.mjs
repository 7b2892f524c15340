// What the tools of the told session answer: files of a small service, its logs, its test runs. Deterministic.
import { randomFrom } from "./frozen.mjs";

export const loginSource = `import type { Clock } from "../clock.ts";
import type { CredentialStore } from "./credentials.ts";
import type { SessionCache } from "./session-cache.ts";
import { issueToken, type Token } from "./token.ts";

export interface LoginRequest {
  readonly user: string;
  readonly password: string;
  readonly tenant: string;
  readonly device?: string;
}

export type LoginResult =
  | { readonly ok: true; readonly token: Token }
  | { readonly ok: false; readonly reason: "unknown_user" | "wrong_password" | "locked" };

const attemptsMax = 5;
const lockedMinutes = 15;

/** Checks the credentials and opens a session that lives as long as the tenant allows. */
export async function login(
  request: LoginRequest,
  credentials: CredentialStore,
  sessions: SessionCache,
  clock: Clock,
): Promise<LoginResult> {
  const record = await credentials.find(request.tenant, request.user);
  if (!record) return { ok: false, reason: "unknown_user" };
  if (record.lockedUntil && record.lockedUntil > clock.now()) return { ok: false, reason: "locked" };

  if (!(await credentials.verify(record, request.password))) {
    const attempts = record.attempts + 1;
    const lockedUntil = attempts >= attemptsMax ? clock.inMinutes(lockedMinutes) : undefined;
    await credentials.update(record.id, { attempts, lockedUntil });
    return { ok: false, reason: "wrong_password" };
  }

  await credentials.update(record.id, { attempts: 0, lockedUntil: undefined });
  const token = issueToken(record, request.device, clock);
  await sessions.put(token.id, { user: record.id, tenant: request.tenant, expiresAt: token.expiresAt });
  return { ok: true, token };
}
`;

export const tokenSource = `import { randomUUID } from "node:crypto";
import type { Clock } from "../clock.ts";
import type { CredentialRecord } from "./credentials.ts";

export interface Token {
  readonly id: string;
  readonly user: string;
  readonly device: string;
  /** When the token stops being valid. */
  readonly expiresAt: string;
}

const tokenMinutes = 120;

export function issueToken(record: CredentialRecord, device: string | undefined, clock: Clock): Token {
  return {
    id: randomUUID(),
    user: record.id,
    device: device ?? "browser",
    expiresAt: formatLocal(clock.inMinutes(record.tokenMinutes ?? tokenMinutes)),
  };
}

export function isExpired(token: Token, clock: Clock): boolean {
  return new Date(\`\${token.expiresAt}Z\`) <= clock.now();
}

/** yyyy-MM-ddTHH:mm:ss, as the mobile API expects it. */
function formatLocal(date: Date): string {
  const two = (value: number) => String(value).padStart(2, "0");
  const day = \`\${date.getFullYear()}-\${two(date.getMonth() + 1)}-\${two(date.getDate())}\`;
  return \`\${day}T\${two(date.getHours())}:\${two(date.getMinutes())}:\${two(date.getSeconds())}\`;
}
`;

export const fixedFormat = `/** yyyy-MM-ddTHH:mm:ss in UTC, without the zone letter: mobile clients before 4.2 reject it. */
function formatUtc(date: Date): string {
  return date.toISOString().slice(0, 19);
}
`;

export const gitLog = `8c1f0de (HEAD -> main, tag: v2.14.0) Release 2.14.0
b7740aa Drop moment, format dates by hand
41d9e35 Session cache: evict by expiresAt instead of by age
0f2c6b1 Add device name to tokens
e95ab27 (tag: v2.13.2) Release 2.13.2
6a3d8f4 Lock an account after five wrong passwords
d01b7c9 Health check: report the age of the oldest session
`;

export const removedMoment = `commit b7740aa4f0
Author: Ines Duarte <ines@acme.example>
Date:   Tue Mar 3 16:40:12 2026 +0100

    Drop moment, format dates by hand

diff --git a/src/auth/token.ts b/src/auth/token.ts
@@ -1,6 +1,5 @@
 import { randomUUID } from "node:crypto";
-import moment from "moment";
 import type { Clock } from "../clock.ts";
@@ -19,7 +18,7 @@ export function issueToken(
     device: device ?? "browser",
-    expiresAt: moment.utc(clock.inMinutes(record.tokenMinutes ?? tokenMinutes)).format("YYYY-MM-DDTHH:mm:ss"),
+    expiresAt: formatLocal(clock.inMinutes(record.tokenMinutes ?? tokenMinutes)),
   };
 }
`;

const zones = [
  { node: "gw-sao-1", offsetHours: -3 },
  { node: "gw-fra-1", offsetHours: 1 },
  { node: "gw-lon-2", offsetHours: 0 },
];
const paths = [
  "/v1/profile",
  "/v1/orders?page=1",
  "/v1/orders/481/items",
  "/v1/basket",
  "/v1/notifications?unread=true",
];

/** Requests of one morning at three gateways: west of Greenwich every token has expired when it is first used. */
export function gatewayLog(lineCount) {
  const random = randomFrom(214);
  const pick = (list) => list[Math.floor(random() * list.length)];
  const lines = [];
  let at = Date.UTC(2026, 2, 9, 8, 0, 0);
  while (lines.length < lineCount) {
    at += Math.floor(random() * 4000);
    const zone = pick(zones);
    const time = new Date(at).toISOString();
    const expiresAt = new Date(at + (120 + zone.offsetHours * 60) * 60_000).toISOString().slice(0, 19);
    const isRejected = zone.offsetHours < -2;
    const request = Math.floor(random() * 0xffffffff)
      .toString(16)
      .padStart(8, "0");
    const user = `u${String(Math.floor(random() * 9000) + 1000)}`;
    lines.push(
      `${time} ${zone.node} req=${request} user=${user} GET ${pick(paths)} token.expiresAt=${expiresAt} ` +
        (isRejected ? "status=401 reason=token_expired" : `status=200 ms=${Math.floor(random() * 180) + 4}`),
    );
  }
  return `${lines.join("\n")}\n`;
}

const suites = ["login", "token", "credentials", "session-cache", "clock", "locking", "device", "refresh", "gateway"];
const checks = [
  "accepts",
  "refuses",
  "keeps",
  "forgets",
  "rounds",
  "orders",
  "repeats",
  "survives",
  "reports",
  "counts",
];
const things = [
  "an empty password",
  "a locked account",
  "a second device",
  "the last second",
  "a slow store",
  "a leap day",
];

/** A run of the test suite; `failing` are the names of tests that fail, with the zone that they ran in. */
export function testRun(zone, failing = []) {
  const random = randomFrom(zone.length * 97 + failing.length);
  const lines = ["> acme-auth@2.14.0 test", `> TZ=${zone} vitest run`, "", " RUN  v3.2.4 /home/dev/acme-auth", ""];
  for (const suite of suites) {
    for (const check of checks) {
      for (const thing of things) {
        lines.push(` ✓ test/auth/${suite}.test.ts > ${check} ${thing} ${Math.floor(random() * 40) + 1}ms`);
      }
    }
  }
  for (const name of failing) {
    lines.push(` × test/auth/token.test.ts > ${name} 7ms`, "   → expected true to be false // Object.is equality");
    lines.push("     ❯ test/auth/token.test.ts:31:52", "");
  }
  const total = suites.length * checks.length * things.length + failing.length;
  const passed = `${total - failing.length} passed (${total})`;
  lines.push(
    "",
    `      Tests  ${failing.length > 0 ? `${failing.length} failed | ` : ""}${passed}`,
    "   Duration  4.81s",
  );
  return lines.join("\n");
}

/** Every use of \`expiresAt\` in the services: the reason not to change its type. */
export function usesOfExpiresAt() {
  const services = ["orders", "basket", "profile", "mobile-api", "mobile-sync", "admin", "reports", "billing", "mail"];
  const kinds = ["handler", "client", "schema", "mapper", "fixtures", "policy", "worker", "cache"];
  const lines = [];
  for (const service of services) {
    for (const kind of kinds) {
      for (let line = 12; line <= 96; line += 21) {
        lines.push(
          `services/${service}/src/${kind}.ts:${line}:  if (session.expiresAt < nowText()) return refresh(session);`,
        );
        lines.push(
          `services/${service}/src/${kind}.ts:${line + 4}:  expiresAt: z.string().length(19), // ${service}, ${kind}`,
        );
      }
    }
  }
  return `${lines.join("\n")}\n`;
}

/** The admin endpoint's answer: sessions as they are stored. */
export function storedSessions(count) {
  const random = randomFrom(481);
  const sessions = Array.from({ length: count }, (_, index) => ({
    id: `s-${String(index + 1).padStart(4, "0")}`,
    user: `u${Math.floor(random() * 9000) + 1000}`,
    tenant: ["acme", "globex", "initech"][index % 3],
    device: index % 4 === 0 ? "Zoë’s phone 📱" : "browser",
    expiresAt: new Date(Date.UTC(2026, 2, 9, 10, index * 7)).toISOString().slice(0, 19),
    refreshes: Math.floor(random() * 12),
  }));
  return JSON.stringify({ sessions, next: null }, null, 2);
}
