/** Scripts that make shells complete our words, made from the table of verbs. */
import { globalOptions, type OptionSpec } from "./options.ts";
import type { Verb, VerbTable } from "./verb.ts";

export const shells = ["bash", "zsh", "fish"] as const;
export type Shell = (typeof shells)[number];

export function isShell(name: string): name is Shell {
  return (shells as readonly string[]).includes(name);
}

export interface DescribedVerb {
  readonly name: string;
  readonly verb: Verb;
}

export async function describedVerbs(table: VerbTable): Promise<DescribedVerb[]> {
  return Promise.all(Object.entries(table).map(async ([name, load]) => ({ name, verb: await load() })));
}

export function completionScript(shell: Shell, verbs: readonly DescribedVerb[]): string {
  switch (shell) {
    case "bash":
      return bash(verbs);
    case "zsh":
      return `autoload -U +X bashcompinit && bashcompinit\n${bash(verbs)}`;
    case "fish":
      return fish(verbs);
  }
}

function optionsOf({ verb }: DescribedVerb): [string, OptionSpec][] {
  return Object.entries({ ...globalOptions, ...verb.options });
}

/** Where nothing of ours fits, files. zsh reads the same script through its own bashcompinit. */
function bash(verbs: readonly DescribedVerb[]): string {
  const words = verbs.map((each) => {
    const flags = optionsOf(each).flatMap(([name, { short }]) => [
      `--${name}`,
      ...(short === undefined ? [] : [`-${short}`]),
    ]);
    return `    ${each.name}) words="${flags.join(" ")}" ;;`;
  });
  const choices = new Map<string, string>();
  for (const each of verbs) {
    const { firstWords } = each.verb;
    if (firstWords !== undefined) choices.set(`${each.name} ${each.name}`, firstWords.join(" "));
    for (const [name, spec] of optionsOf(each)) {
      if (spec.choices !== undefined) choices.set(`${each.name} --${name}`, spec.choices.join(" "));
    }
  }
  const values = [...choices].map(([key, list]) => `    "${key}") words="${list}" ;;`);
  return `_session_journal() {
  local current="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD-1]}" verb="\${COMP_WORDS[1]}" words=""
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "${verbs.map(({ name }) => name).join(" ")} help" -- "$current"))
    return
  fi
  case "$verb $before" in
${values.join("\n")}
  esac
  if [ -n "$words" ]; then
    COMPREPLY=($(compgen -W "$words" -- "$current"))
    return
  fi
  case "$current" in
    -*) ;;
    *) COMPREPLY=($(compgen -f -- "$current")); return ;;
  esac
  case "$verb" in
${words.join("\n")}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o filenames -F _session_journal session-journal
`;
}

function fish(verbs: readonly DescribedVerb[]): string {
  const names = verbs.map(({ name }) => name).join(" ");
  const lines = verbs.flatMap((each) => [
    `complete -c session-journal -n "not __fish_seen_subcommand_from ${names}" -f -a ${each.name} -d ${quoted(each.verb.about)}`,
    ...Object.entries(each.verb.options ?? {}).map(
      ([name, spec]) =>
        `complete -c session-journal -n "__fish_seen_subcommand_from ${each.name}" ${fishOption(name, spec)}`,
    ),
  ]);
  const shared = Object.entries<OptionSpec>(globalOptions).map(
    ([name, spec]) => `complete -c session-journal ${fishOption(name, spec)}`,
  );
  const first = verbs.flatMap(({ name, verb: { firstWords } }) =>
    firstWords === undefined
      ? []
      : [
          `complete -c session-journal -n "__fish_seen_subcommand_from ${name}; and test (count (commandline -opc)) -eq 2" -f -a "${firstWords.join(" ")}"`,
        ],
  );
  return `${[...lines, ...shared, ...first].join("\n")}\n`;
}

function fishOption(name: string, { short, value, choices, about }: OptionSpec): string {
  const parts = [
    `-l ${name}`,
    ...(short === undefined ? [] : [`-s ${short}`]),
    ...(value === undefined ? [] : ["-r"]),
    ...(choices === undefined ? [] : [`-f -a "${choices.join(" ")}"`]),
    `-d ${quoted(about)}`,
  ];
  return parts.join(" ");
}

/** The result is one word, as fish and other shells take it. */
function quoted(text: string): string {
  return `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
}
