import { isShell, shells } from "../completion.ts";
import { didYouMean } from "../near.ts";
import { UsageError } from "../usage.ts";
import type { Verb } from "../verb.ts";

export const completion: Verb = {
  about: "print a script that makes a shell complete verbs, options and their values",
  where: "shell",
  firstWords: shells,
  notes: [
    `Shells: ${shells.join(", ")}. Put this into the settings of your shell:`,
    '  bash  eval "$(session-journal completion bash)"',
    '  zsh   eval "$(session-journal completion zsh)", after compinit',
    "  fish  session-journal completion fish | source",
  ],
  example: "session-journal completion bash",
  async run({ where, options, output, verbs }) {
    if (!isShell(where)) {
      throw new UsageError(
        `no completion for ${JSON.stringify(where)}${didYouMean(where, shells)} (${shells.join(", ")})`,
      );
    }
    const { completionScript, describedVerbs } = await import("../completion.ts");
    const script = completionScript(where, await describedVerbs(verbs));
    if (options.flag("json")) output.json({ shell: where, script });
    else output.exact(script);
    return 0;
  },
};
