/** One row of the closed error vocabulary: the status, whether the same request may succeed later, and the meaning. */
export type ErrorRow = {
  readonly status: number;
  readonly retryable: boolean;
  readonly meaning: string;
  /** Action that the caller can take. */
  readonly remedy: string;
};

/** Creates a row. The arguments are its columns, in their order. */
export const row = (status: number, retryable: boolean, meaning: string, remedy: string): ErrorRow => ({
  status,
  retryable,
  meaning,
  remedy,
});
