/** Maximum size of a body that is kept in Redis, in bytes. The owning service repeats a longer response. */
export const keptBytesMax = 4_096;

/** The values that Redis stores under an Idempotency-Key. Only the metering script writes a claim (libs/quota/src/metering.lua). */
export type IdempotencyRecord =
  /** A request with the key is running, or its outcome is unclear. */
  | { readonly state: "running"; readonly fingerprint: string }
  /**
   * The operation is done. The owning service responds to a repeat, because the response is large or contains a secret.
   */
  | { readonly state: "kept_by_service"; readonly fingerprint: string }
  /** The operation is done, and this is the outcome to replay. */
  | { readonly state: "done"; readonly fingerprint: string; readonly status: number; readonly body: string };

/**
 * Returns the Redis key of a record. Records of a client share the client's slot, and those without a client are
 * distributed by their key.
 */
export function idempotencyRecordKey(clientId: string | null, operationId: string, key: string): string {
  return clientId === null ? `{${operationId}:${key}}:idempotency` : `{${clientId}}:idempotency:${operationId}:${key}`;
}

/** Returns the record of an outcome. */
export function doneRecord(fingerprint: string, status: number, body: string): string {
  return `D${fingerprint}${status}${body}`;
}

/** Returns the record of an outcome that the owning service repeats. It contains only the fingerprint. */
export function keptByServiceRecord(fingerprint: string): string {
  return `S${fingerprint}`;
}

/** Parses a record. */
export function parseRecord(record: string): IdempotencyRecord {
  const fingerprint = record.slice(1, 65);
  if (record.startsWith("D")) {
    return { state: "done", fingerprint, status: Number(record.slice(65, 68)), body: record.slice(68) };
  }
  return { state: record.startsWith("S") ? "kept_by_service" : "running", fingerprint };
}
