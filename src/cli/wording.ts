/** What errors of the library say of its options, as the command line has them. */
import { type Advice, isJournalError } from "../errors.ts";

/** So a TypeError of the library begins. Every option of it that reaches it unchecked is called as the flag that it comes from. */
const wrongOption = /^option "([a-z]+)"/;

export function messageOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof TypeError) return message.replace(wrongOption, "--$1");
  const advice = isJournalError(error) ? error.advice : undefined;
  return advice === undefined ? message : message.replace(advice.said, () => inWordsOfVerbs(advice));
}

/** The library was given what stands in an action: there is no flag to look at. */
export function fieldMessageOf({ message }: TypeError, action: object): string | undefined {
  const [, name = ""] = wrongOption.exec(message) ?? [];
  return Object.hasOwn(action, name) ? message.replace(wrongOption, `"$1" of the action`) : undefined;
}

/** The result is "" if no verb has the option. */
function inWordsOfVerbs({ option, value }: Advice): string {
  switch (option) {
    case "seal":
      return "by --seal-file FILE";
    case "fold":
      return `repeat with --fold ${value}`;
    case "expectedVersion":
      return `repeat with --expect ${value}`;
    case "create":
    case "readonly":
    case "waitMs":
      return "";
  }
}
