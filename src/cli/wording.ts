/** What errors of the library say of its options, as the command line has them. */
import { type Advice, isJournalError } from "../errors.ts";

export function messageOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  const advice = isJournalError(error) ? error.advice : undefined;
  return advice === undefined ? message : message.replace(advice.said, () => inWordsOfVerbs(advice));
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
