/** Is it the refusal of a write whose unique key is taken? Which key, only a read can tell: servers word the error as they like. */
export function isDuplicateKey(error: unknown): boolean {
  return error instanceof Error && (error as { code?: unknown }).code === 11000;
}

/**
 * Is the store at fault: does the error come from the driver, whatever its code and text, and is no duplicate? Only the driver's errors
 * have `hasErrorLabel` (its MongoError), so nothing here has to load the driver.
 */
export function isStoreFailure(error: unknown): boolean {
  const isOfDriver =
    error instanceof Error && typeof (error as { hasErrorLabel?: unknown }).hasErrorLabel === "function";
  return isOfDriver && !isDuplicateKey(error);
}
