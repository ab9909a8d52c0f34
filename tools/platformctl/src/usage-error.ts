/** A command line that cannot be understood: printed as one line `platformctl: usage: …`, exit code 1. */
export class UsageError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "UsageError";
  }
}
