/** Names of what the driver and mongoose throw when no server answers: none was found, the connection broke, or it was being closed. */
const names = new Set([
  "MongoServerSelectionError",
  "MongooseServerSelectionError",
  "MongoNetworkError",
  "MongoNetworkTimeoutError",
  "MongoNotConnectedError",
  "MongoPoolClearedError",
  "MongoPoolClosedError",
  "MongoTopologyClosedError",
  "MongoWaitQueueTimeoutError",
  "PoolClearedOnNetworkError",
]);

/**
 * Codes of a server that is shutting down, or is no longer or not yet the primary: "not writable primary" and "node is recovering" of
 * MongoDB's Server Discovery And Monitoring specification. What the driver's own retry did not get past.
 */
const stateChangeCodes: ReadonlySet<unknown> = new Set([91, 189, 10058, 10107, 11600, 11602, 13435, 13436]);

/** Does the error say that the database could not be reached, rather than that it refused? By name, so that nothing here loads the driver. */
export function isMongoUnreachable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code, errorResponse } = error as { code?: unknown; errorResponse?: unknown };
  if (names.has(error.name) || (error.name.startsWith("Mongo") && stateChangeCodes.has(code))) return true;
  // A bulk write that broke off is a MongoBulkWriteError around the error that broke it off.
  return errorResponse !== error && isMongoUnreachable(errorResponse);
}
