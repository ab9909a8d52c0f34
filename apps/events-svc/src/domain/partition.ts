import { createHash } from "node:crypto";

/** Into how many partitions Project Clients are divided. Workers share the partitions, so this bounds how many workers number and relay at once. */
export const partitionCount = 16;

/** The partition of a Project Client, by hash. It is stored with each event, so it must not change. */
export function partitionOf(clientId: string): number {
  return createHash("sha256").update(clientId).digest().readUInt32BE() % partitionCount;
}
