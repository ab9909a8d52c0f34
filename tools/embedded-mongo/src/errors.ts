const names: Record<number, string> = {
  2: "BadValue",
  9: "FailedToParse",
  14: "TypeMismatch",
  20: "IllegalOperation",
  26: "NamespaceNotFound",
  27: "IndexNotFound",
  28: "PathNotViable",
  40: "ConflictingUpdateOperators",
  43: "CursorNotFound",
  48: "NamespaceExists",
  50: "MaxTimeMSExpired",
  52: "DollarPrefixedFieldName",
  53: "InvalidIdField",
  59: "CommandNotFound",
  66: "ImmutableField",
  67: "CannotCreateIndex",
  72: "InvalidOptions",
  73: "InvalidNamespace",
  85: "IndexOptionsConflict",
  86: "IndexKeySpecsConflict",
  168: "InvalidPipelineOperator",
  171: "CannotIndexParallelArrays",
  197: "InvalidIndexSpecificationOption",
  238: "NotImplemented",
  10334: "BSONObjectTooLarge",
  11000: "DuplicateKey",
};

/** A failure with MongoDB's code; `extra` is merged into the error document (keyPattern, keyValue). */
export class CommandError extends Error {
  readonly code: number;
  readonly extra: Record<string, unknown>;

  constructor(code: number, message: string, extra: Record<string, unknown> = {}) {
    super(message);
    this.code = code;
    this.extra = extra;
  }

  get codeName(): string {
    return names[this.code] ?? `Location${this.code}`;
  }
}

/** Converts any thrown value to a CommandError, because mingo and bson report malformed input with plain errors. */
export function asCommandError(error: unknown): CommandError {
  if (error instanceof CommandError) return error;
  return new CommandError(2, error instanceof Error ? error.message : String(error));
}
