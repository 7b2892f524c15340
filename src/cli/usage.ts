/** The command line was used in a way that it does not understand: exit code 2. The message says what to do instead. */
export class UsageError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "UsageError";
  }
}
