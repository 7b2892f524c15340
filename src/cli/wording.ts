/** What errors of the library say of its options, as the command line has them. */

const wordings: readonly (readonly [RegExp, string])[] = [
  [/pass its key as option seal\b/, "pass its key by --seal-file FILE"],
  [/pass (its|the journal's) own key\b/, "pass $1 own key by --seal-file FILE"],
  [/open it with fold: "(file|branch)"/, "repeat with --fold $1"],
  [/retry with expectedVersion (\d+)/, "repeat with --expect $1"],
  [/, or (?:open it with (?:readonly|create): true|raise waitMs)\b/, ""],
];

export function inWordsOfOptions(message: string): string {
  return wordings.reduce((said, [library, commandLine]) => said.replace(library, commandLine), message);
}
