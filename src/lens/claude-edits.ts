/** This file reads what Claude Code's tools `Edit` and `MultiEdit` made of a text: a little more than what was asked for. */
import { type Fields, fields } from "../event/fields.ts";
import { type Replacement, replacedIn, withLineFeeds } from "./edited-files.ts";
import { list, text } from "./fields.ts";
import { type Hunk, patched } from "./hunks.ts";

export class ClaudeEdits {
  /** The text that was looked through last: a session may have many edits that do not fit it. */
  #known = { text: "", straight: "" };

  /** The result is undefined if it is not known what the file held or holds. */
  after(held: string | undefined, input: Fields, data: Fields): string | undefined {
    const edits = editsIn(input);
    const before = edits[0]?.["old_string"] === "" ? "" : held;
    const asked = this.#asked(edits, before);
    const hunks = hunksIn(data);
    if (before === undefined || hunks.length === 0) return asked;
    const shown = patched(withoutTabs(before), hunks);
    if (shown === undefined) return data["userModified"] === true ? undefined : asked;
    // What a person changed in the proposal, and what the client adds to a memory by itself, is only in the patch.
    return asked !== undefined && withoutTabs(asked) === shown ? asked : withTabsOf([before, asked ?? ""], shown);
  }

  /** Each edit is one of the text that the edit before it left. */
  #asked(edits: readonly Fields[], before: string | undefined): string | undefined {
    if (before === undefined || edits.length === 0) return undefined;
    let after = withLineFeeds(before);
    for (const edit of edits) {
      const next = replacedIn(after, this.#replacementIn(edit, after));
      if (next === undefined) return undefined;
      after = withLineFeeds(next);
    }
    return after;
  }

  /** What is asked for with straight quotes also means a text with curly ones, and what is put there gets such quotes, too. */
  #replacementIn(edit: Fields, before: string): Replacement {
    const [old, put] = [text(edit["old_string"]), text(edit["new_string"])];
    const asked = { old, put, all: edit["replace_all"] === true, takesLineEnd: true };
    if (old === undefined || put === undefined) return asked;
    const meant = this.#textMeant(withLineFeeds(old), before);
    return meant === undefined ? asked : { ...asked, old: meant, put: curledAs(meant, put) };
  }

  /** The result is undefined if what was asked for stands there as it is, or in no way. */
  #textMeant(asked: string, before: string): string | undefined {
    if (before.includes(asked)) return undefined;
    if (this.#known.text !== before) this.#known = { text: before, straight: straight(before) };
    const at = this.#known.straight.indexOf(straight(asked));
    return at === -1 ? undefined : before.slice(at, at + asked.length);
  }
}

/** The client shows a patch so. */
function withoutTabs(text: string): string {
  return text.replace(/^\t+/gm, (tabs) => "  ".repeat(tabs.length));
}

/** Lines that stand in one of the texts have the tabs that they have there, and others those of lines that are indented alike. */
function withTabsOf(texts: readonly string[], shown: string): string {
  const given = texts.flatMap((text) => text.split("\n"));
  const lines = new Map(given.map((line) => [withoutTabs(line), line]));
  const indents = indentsIn(given);
  return shown
    .split("\n")
    .map((line) => lines.get(line) ?? line.replace(/^ +/, indents))
    .join("\n");
}

/** Where lines that are shown alike are indented in two ways, or spaces alone indent some, an indentation is as it is shown. */
function indentsIn(lines: readonly string[]): (shown: string) => string {
  const known = new Map<string, string | undefined>();
  for (const line of lines) {
    const indent = /^[\t ]*/.exec(line)?.[0] ?? "";
    const shown = withoutTabs(indent);
    known.set(shown, known.has(shown) && known.get(shown) !== indent ? undefined : indent);
  }
  const hasTabsOnly = lines.some((line) => line.startsWith("\t")) && !lines.some((line) => line.startsWith(" "));
  return (shown) => {
    if (known.has(shown)) return known.get(shown) ?? shown;
    return hasTabsOnly ? shown.replaceAll("  ", "\t") : shown;
  };
}

function editsIn(input: Fields): readonly Fields[] {
  return Array.isArray(input["edits"]) ? list(input["edits"]).map(fields) : [input];
}

function straight(text: string): string {
  return text.replace(/[\u2018\u2019]/g, "'").replace(/[\u201c\u201d]/g, '"');
}

/** Only those of the kind that stands in what is replaced are curled. */
function curledAs(old: string, put: string): string {
  const double = /[\u201c\u201d]/.test(old) ? curled(put, '"', "\u201c", "\u201d") : put;
  return /[\u2018\u2019]/.test(old) ? curled(double, "'", "\u2018", "\u2019") : double;
}

/** A quote opens behind white space, an opening bracket or a dash. One between two letters is an apostrophe. */
function curled(put: string, quote: string, opening: string, closing: string): string {
  return put.replaceAll(quote, (_, at: number) => {
    const isOpening = /(?:^|[ \t\n\r([{\u2013\u2014])$/.test(put.slice(Math.max(0, at - 1), at));
    return isOpening ? opening : closing;
  });
}

function hunksIn(data: Fields): Hunk[] {
  return list(data["structuredPatch"])
    .map(hunkOf)
    .filter((hunk) => hunk.lines.length > 0);
}

function hunkOf(value: unknown): Hunk {
  const { oldStart, oldLines, lines } = fields(value);
  const start = typeof oldStart === "number" ? oldStart : 1;
  const texts = list(lines).flatMap((line) => (typeof line === "string" ? [line.replace(/\r$/, "")] : []));
  // The client counts from 1 where nothing stands before, too.
  return { oldStart: oldLines === 0 ? start - 1 : start, lines: texts };
}
