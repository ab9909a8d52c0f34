import { randomFillSync } from "node:crypto";
import { v5, v7 } from "uuid";

const idBytes = 16;
/** Random bytes are drawn for many ids together, because drawing them for each id would be most of its cost. */
const pool = Buffer.alloc(256 * idBytes);
let drawn = pool.length;
let lastMs = 0;
let sequence = 0;

/**
 * Returns a new id: a UUIDv7 (RFC 9562). Ids sort by time, and those of one process sort in the order of their
 * creation.
 */
export function newId(): string {
  if (drawn === pool.length) {
    randomFillSync(pool);
    drawn = 0;
  }
  const random = pool.subarray(drawn, drawn + idBytes);
  drawn += idBytes;
  // An id contains a time of the wall clock. If that clock is set back, the counter continues in the last millisecond.
  const nowMs = Date.now();
  if (nowMs > lastMs) {
    lastMs = nowMs;
    // The top bit of the counter starts as 0, so that it can be incremented 2³¹ times within a millisecond (RFC 9562
    // §6.2, method 1).
    sequence = random.readUInt32BE(6) >>> 1;
  } else {
    sequence += 1;
  }
  return v7({ random, msecs: lastMs, seq: sequence });
}

/** Derives an id from a name within another id: a UUIDv5, which is the same wherever it is computed. */
export function derivedId(namespaceId: string, name: string): string {
  return v5(name, namespaceId);
}

/** Returns whether the text is a UUID, of any version. */
export function isUuid(text: string): boolean {
  return /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i.test(text);
}
