/** The session of another client has no chain: what can be checked is that every line could be read, and what it repeats. */
import type { Head } from "../../event/commit.ts";
import type { ForeignSession } from "../../event/foreign.ts";
import { damage, type Finding, note, theWhole, type Verification } from "./finding.ts";

export function verifyForeign(
  { title, bytes, sha256, lines, findings, repetitions }: ForeignSession,
  head: Head,
  options: { readonly head?: Head },
): Verification {
  const read = `${lines} lines were read, ${bytes} bytes${sha256 === undefined ? "" : `, SHA-256 ${sha256}`}`;
  const detail = `a file of ${title} has no chain, so nothing proves that it is as it was written: ${read}`;
  const all: Finding[] = [...findings, note("foreign", theWhole, detail)];
  if (options.head !== undefined) {
    all.push(damage("head", theWhole, `a file of ${title} has no chain: no head of it can have been kept`));
  }
  const { seen, equal, explained, elsewhere } = repetitions;
  if (seen > 0) {
    const told: (readonly [number, string])[] = [
      [equal, "as it was written"],
      [explained, "different, and the file says why"],
      [elsewhere, "changed from outside"],
    ];
    const counts = told.flatMap(([count, what]) => (count === 0 ? [] : [`${count} ${what}`]));
    const times = seen === 1 ? "once" : `${seen} times`;
    all.push(note("foreign", theWhole, `the client repeats ${times} what it held: ${counts.join(", ")}`));
  }
  return { ok: all.every(({ severity }) => severity === "note"), findings: all, head };
}
