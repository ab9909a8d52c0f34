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

/** Does the error say that the database could not be reached, rather than that it refused? By name, so that nothing here loads the driver. */
export function isMongoUnreachable(error: unknown): boolean {
  return error instanceof Error && names.has(error.name);
}
