import type { Finding, Verification } from "../../audit/verify/finding.ts";
import type { Head } from "../../event/commit.ts";
import type { Options } from "../options.ts";
import type { Output, Span } from "../output.ts";
import { UsageError } from "../usage.ts";
import type { Verb } from "../verb.ts";

export const verify: Verb = {
  about: "check every line, and list what is remarkable",
  takesNewest: true,
  options: {
    head: { value: "HASH", about: "a hash that was kept elsewhere: nothing up to it may have changed" },
    at: { value: "VERSION", about: "the version that the hash was kept for" },
  },
  notes: ["Notes are what crashes, races and hosts leave behind. Damage is what none of them leaves: exit code 1."],
  example: "session-journal verify session.jsonl --head 9f2c4e8b1d3a5f7092c4e6a8b0d2f416 --at 12",
  async run({ options, output, open }) {
    const head = headOf(options);
    const journal = await open("check");
    const verification = await journal.verify(head === undefined ? {} : { head });
    if (options.flag("json")) output.json(verification);
    else printVerification(verification, output);
    return verification.ok ? 0 : 1;
  },
};

function headOf(options: Options): Head | undefined {
  const hash = options.text("head");
  const version = options.count("at", "v");
  if (hash === undefined && version === undefined) return undefined;
  if (hash === undefined || version === undefined) {
    throw new UsageError("--head and --at belong together: --head HASH --at VERSION, as verify printed them");
  }
  if (!/^(?:[0-9a-f]{32}|[0-9a-f]{64})$/i.test(hash)) {
    throw new UsageError(
      `--head takes a whole hash, 32 or 64 hex digits as verify prints it, not ${JSON.stringify(hash)}`,
    );
  }
  return { version, hash: hash.toLowerCase() };
}

function printVerification({ ok, findings, head }: Verification, output: Output): void {
  if (findings.length > 0) output.table(findings.map(row));
  const [damage, notes] = (["damage", "note"] as const).map(
    (severity) => findings.filter((finding) => finding.severity === severity).length,
  );
  const verdict: Span = ok ? { text: "no damage", style: "green" } : { text: `damage: ${damage}`, style: "red" };
  const chain = head.hash === "" ? "no chain" : `head: v${head.version} ${head.hash}`;
  output.line(verdict, `, notes: ${notes}, ${chain}`);
}

function row({ severity, kind, line, offset, detail }: Finding): Span[] {
  return [
    { text: severity, style: severity === "damage" ? "red" : "yellow" },
    kind,
    { text: `line ${line}, byte ${offset}`, style: "dim" },
    detail,
  ];
}
