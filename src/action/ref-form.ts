/** This says which refs are the same one. */

/** `exact` compares the text of refs. `normalised` compares the URL or path, however it is spelt. */
export type Dedupe = "exact" | "normalised";

/** Answers the ref of the list that this one repeats. */
export function existingRef(refs: readonly string[], ref: string, dedupe: Dedupe): string | undefined {
  const form = refForm(ref, dedupe);
  return refs.find((other) => refForm(other, dedupe) === form);
}

/** The result has each ref once: of several equal ones it keeps the first. */
export function distinctRefs(refs: readonly string[], dedupe: Dedupe | undefined): readonly string[] {
  if (dedupe === undefined) return refs;
  const byForm = new Map<string, string>();
  for (const ref of refs) {
    const form = refForm(ref, dedupe);
    if (!byForm.has(form)) byForm.set(form, ref);
  }
  return [...byForm.values()];
}

/** Two refs count as the same one if their forms are equal. */
export function refForm(ref: string, dedupe: Dedupe): string {
  return dedupe === "exact" ? ref : normalRef(ref);
}

/**
 * The normal form of a URL is what browsers write, without a closing slash. That of a path has no `.`, no `..` that can be
 * resolved, and no doubled or closing slashes. A text with white space inside is neither, and is only trimmed.
 */
export function normalRef(ref: string): string {
  const text = ref.trim();
  if (text === "" || /\s/.test(text)) return text;
  return /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? normalUrl(text) : normalPath(text);
}

function normalUrl(text: string): string {
  if (!URL.canParse(text)) return text;
  const url = new URL(text);
  if (url.search === "" && url.hash === "") return url.href.replace(/(?<=[^/:])\/+$/, "");
  return url.href;
}

function normalPath(text: string): string {
  const root = text.startsWith("/") ? "/" : "";
  const parts: string[] = [];
  for (const part of text.split("/")) {
    if (part === "" || part === ".") continue;
    const last = parts.at(-1);
    if (part !== "..") parts.push(part);
    else if (last !== undefined && last !== "..") parts.pop();
    else if (root === "") parts.push(part);
  }
  return `${root}${parts.join("/")}` || ".";
}
