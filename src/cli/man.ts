/** This file makes the manual page from the same table as help. The build writes it into the package. */
import { type DescribedVerb, describedVerbs } from "./completion.ts";
import { words } from "./help.ts";
import { globalOptions, type OptionSpecs } from "./options.ts";
import { usageOf } from "./verb.ts";
import { verbs } from "./verbs.ts";

/** The result is troff source of section 1. */
export async function manualPage(version: string): Promise<string> {
  const described = await describedVerbs(verbs);
  return [
    `.TH SESSION-JOURNAL 1 "" "session-journal ${version}"`,
    // Commands and addresses are copied from the page: no hyphen and no space more may stand in them.
    ".nh",
    ".ad l",
    section("NAME"),
    "session-journal \\- working memory of an agent, in the session file that you already have",
    section("SYNOPSIS"),
    "\\fBsession-journal\\fR \\fIverb\\fR [\\fIsession\\fR] [\\fIarguments\\fR] [\\fIoptions\\fR]",
    section("WORDS"),
    ...words.flatMap(([term, text]) => (term === "" ? [".br", escaped(text)] : item(term, text))),
    section("OPTIONS OF EVERY VERB"),
    ...optionLines(globalOptions),
    section("VERBS"),
    ...described.flatMap(verbLines),
    section("ENVIRONMENT"),
    ...item("PAGER", "shows texts that are longer than the screen (default: less)"),
    ...item("NO_COLOR, FORCE_COLOR", "no colours, or colours everywhere; --color goes before both"),
    ...item("COLUMNS, LINES", "the size of the terminal"),
    ...item("SESSION_JOURNAL_SEAL_FILE", "the file with the key of a sealed journal"),
    "",
  ].join("\n");
}

function verbLines({ name, verb }: DescribedVerb): string[] {
  return [
    `.SS ${escaped(usageOf(name, verb))}`,
    escaped(`${verb.about[0]?.toUpperCase()}${verb.about.slice(1)}.`),
    ...(verb.notes ?? []).flatMap((note) => [".br", escaped(note)]),
    ...optionLines(verb.options ?? {}),
    ".PP",
    `\\fB${escaped(verb.example)}\\fR`,
  ];
}

function optionLines(specs: OptionSpecs): string[] {
  return Object.entries(specs).flatMap(([name, { short, value, about }]) =>
    item(`${short === undefined ? "" : `-${short}, `}--${name}${value === undefined ? "" : ` ${value}`}`, about),
  );
}

function section(title: string): string {
  return `.SH ${title}`;
}

function item(term: string, about: string): string[] {
  return [".TP", `\\fB${escaped(term)}\\fR`, escaped(about)];
}

/** A line that begins with a dot or an apostrophe would be a request. */
function escaped(text: string): string {
  return text.replaceAll("\\", "\\e").replaceAll("-", "\\-").replace(/^[.']/, "\\&$&");
}
