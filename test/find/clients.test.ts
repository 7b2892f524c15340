import { expect, test } from "vitest";
import { cacheFile, isClaudeName, isSameFolder, rootsOf } from "../../src/find/clients.ts";

const linux = { home: "/home/dev", env: {}, platform: "linux" } as const;
const windows = { home: "C:\\Users\\dev", env: {}, platform: "win32" } as const;

function rootOf(client: string, machine: Parameters<typeof rootsOf>[0]): string[] {
  return rootsOf(machine).flatMap((root) => (root.client === client ? [root.path] : []));
}

test.each([
  ["claude-code", ["/home/dev/.claude/projects"], ["C:\\Users\\dev\\.claude\\projects"]],
  [
    "codex",
    ["/home/dev/.codex/sessions", "/home/dev/.codex/archived_sessions"],
    ["C:\\Users\\dev\\.codex\\sessions", "C:\\Users\\dev\\.codex\\archived_sessions"],
  ],
  ["gemini-cli", ["/home/dev/.gemini/tmp"], ["C:\\Users\\dev\\.gemini\\tmp"]],
  ["droid", ["/home/dev/.factory/sessions"], ["C:\\Users\\dev\\.factory\\sessions"]],
  ["pi", ["/home/dev/.pi/agent/sessions"], ["C:\\Users\\dev\\.pi\\agent\\sessions"]],
  [
    "opencode",
    ["/home/dev/.local/share/opencode/opencode.db"],
    ["C:\\Users\\dev\\.local\\share\\opencode\\opencode.db"],
  ],
  ["session-journal", ["/home/dev/.session-journal"], ["C:\\Users\\dev\\.session-journal"]],
])("%s keeps its sessions in its own folder of the home, on Windows too", (client, onLinux, onWindows) => {
  expect(rootOf(client, linux)).toEqual(onLinux);
  expect(rootOf(client, windows)).toEqual(onWindows);
});

test.each([
  ["claude-code", "CLAUDE_CONFIG_DIR", "/data", ["/data/projects"]],
  ["codex", "CODEX_HOME", "/data", ["/data/sessions", "/data/archived_sessions"]],
  ["pi", "PI_CODING_AGENT_DIR", "~/pi", ["/home/dev/pi/sessions"]],
  ["opencode", "XDG_DATA_HOME", "/data", ["/data/opencode/opencode.db"]],
  ["session-journal", "SESSION_JOURNAL_HOME", "/data", ["/data"]],
  ["codex", "CODEX_HOME", "", ["/home/dev/.codex/sessions", "/home/dev/.codex/archived_sessions"]],
])("%s is looked for where %s=%s says", (client, name, value, roots) => {
  expect(rootOf(client, { ...linux, env: { [name]: value } })).toEqual(roots);
});

test("what is remembered lies in the cache folder of the user", () => {
  expect(cacheFile(linux)).toBe("/home/dev/.cache/session-journal/sessions.json");
  expect(cacheFile({ ...linux, env: { XDG_CACHE_HOME: "/c" } })).toBe("/c/session-journal/sessions.json");
  const local = { ...windows, env: { LOCALAPPDATA: "C:\\Local" } };
  expect(cacheFile(local)).toBe("C:\\Local\\session-journal\\sessions.json");
});

test.each([
  ["-home-dev-my-app", "/home/dev/my.app", "linux", true],
  ["-home-dev-my-app", "/home/dev/my_app", "linux", true],
  ["-home-dev-my_app", "/home/dev/my_app", "linux", true],
  ["-home-dev-my-app", "/home/dev/My.app", "linux", false],
  ["-home-dev-my-app", "/home/dev/my.app/sub", "linux", false],
  ["C--Users-dev-my-app", "C:\\Users\\dev\\my.app", "win32", true],
  ["c--Users-dev-my-app", "C:\\Users\\Dev\\my.app", "win32", true],
  [`-${"a".repeat(199)}-x7f`, `/${"a".repeat(300)}`, "linux", true],
] as const)("Claude Code's folder %s is that of %s on %s: %s", (name, folder, platform, expected) => {
  expect(isClaudeName(name, folder, { platform })).toBe(expected);
});

test.each([
  ["/home/dev/app/", "/home/dev/app", "linux", true],
  ["/home/dev/App", "/home/dev/app", "linux", false],
  ["/", "/", "linux", true],
  ["C:\\Users\\dev\\app", "c:/users/dev/app/", "win32", true],
  ["C:\\", "C:\\", "win32", true],
  ["C:\\a", "D:\\a", "win32", false],
] as const)("%s and %s are the same folder on %s: %s", (one, other, platform, expected) => {
  expect(isSameFolder(one, other, { platform })).toBe(expected);
});
