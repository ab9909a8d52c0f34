import { hash } from "node:crypto";

/** Into how many partitions Project Clients are divided. Workers share the partitions, so this bounds how many workers number and relay concurrently. */
export const partitionCount = 16;

/** The partition of a Project Client, by hash. It is stored with each event, so it must not change. */
export function partitionOf(clientId: string): number {
  // The one-shot function: a Hash object costs three times as much, and every published event needs this.
  return Number.parseInt(hash("sha256", clientId).slice(0, 8), 16) % partitionCount;
}
