/** This part shows what verification found. */
import type { Finding } from "../../verify/finding.ts";
import { element, foreign } from "./dom.ts";
import type { Model } from "./model.ts";
import { longTable } from "./table.ts";

const chainNote =
  "A chain of hashes without a key shows what was changed by accident or without care; to prove more, compare the head with one that was kept elsewhere.";
const digestLabel = "SHA-256 of the bytes that were read: ";

/** `isLive`: what is not known yet will be. */
export function verificationPanel({ data: { verification, client } }: Model, isLive: boolean): HTMLElement {
  const section = element(
    "section",
    { class: "verification", id: "verification", "aria-labelledby": "verification-title", tabindex: -1 },
    element("h2", { id: "verification-title" }, "Verification"),
  );
  if (verification === undefined) {
    const said = isLive ? "The record is being verified…" : "This report was made without verifying the record.";
    section.append(element("p", { class: "empty" }, said));
    return section;
  }
  const { ok, findings, unlisted = [], head } = verification;
  // One finding says more of the whole file than the page could.
  const ofFile =
    client?.sha256 === undefined ? undefined : findings.find(({ detail }) => detail.includes(client.sha256 ?? ""));
  const listed = findings.filter((finding) => finding !== ofFile);
  section.append(
    element("p", { class: `verdict ${ok ? "good" : "bad"}` }, ok ? "No damage was found." : "The record is damaged."),
    element(
      "p",
      { class: "note" },
      client === undefined
        ? chainNote
        : (ofFile?.detail ??
            `${client.title} writes no chain of hashes, so nothing proves that the file is as it was written.`),
    ),
  );
  const [label, hash] =
    client === undefined ? [`Head at version ${head.version}: `, head.hash] : [digestLabel, client.sha256];
  if (hash !== undefined && ofFile === undefined)
    section.append(element("p", {}, label, element("code", {}, ...foreign(hash))));
  if (listed.length > 0) {
    section.append(longTable("Findings", ["severity", "finding", "line", "byte", "detail"], listed, findingRow));
  }
  for (const { severity, kind, count } of unlisted) {
    const said = `${count.toLocaleString("en")} more of ${severity} ${kind}: only the first of them are listed.`;
    section.append(element("p", { class: "note" }, said));
  }
  return section;
}

function findingRow({ kind, severity, line, offset, detail }: Finding): HTMLElement {
  return element(
    "tr",
    {},
    element("td", {}, element("span", { class: `badge ${severity === "damage" ? "bad" : ""}` }, severity)),
    element("td", {}, kind),
    element("td", { class: "number", "data-label": "line" }, line === 0 ? "" : String(line)),
    element("td", { class: "number", "data-label": "byte" }, line === 0 ? "" : offset.toLocaleString("en")),
    element("td", { class: "wide", dir: "auto" }, ...foreign(detail)),
  );
}
