/** One row of the closed error vocabulary: status, whether the same request may succeed later, and meaning. */
export type ErrorRow = {
  readonly status: number;
  readonly retryable: boolean;
  readonly meaning: string;
  /** Action that the caller can take. */
  readonly remedy: string;
};

/** Creates a row; arguments in the order of its columns. */
export const row = (status: number, retryable: boolean, meaning: string, remedy: string): ErrorRow => ({
  status,
  retryable,
  meaning,
  remedy,
});
