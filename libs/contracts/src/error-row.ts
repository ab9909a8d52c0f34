/** One row of the closed error vocabulary: the status it is answered with, whether the same request may succeed later, and what it means. */
export type ErrorRow = {
  readonly status: number;
  readonly retryable: boolean;
  readonly meaning: string;
  /** What the caller can do about it. */
  readonly remedy: string;
};

/** A row; in the order of its columns. */
export const row = (status: number, retryable: boolean, meaning: string, remedy: string): ErrorRow => ({
  status,
  retryable,
  meaning,
  remedy,
});
