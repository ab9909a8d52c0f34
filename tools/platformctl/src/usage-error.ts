/** A command line that cannot be understood: printed as one line `platformctl: usage: …`, exit code 1. */
export class UsageError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "UsageError";
  }
}

/** Creates the error for a context that config.yaml does not contain. */
export function unknownContext(name: string): UsageError {
  return new UsageError(`--context: there is none named ${name}; see platformctl contexts list`);
}
