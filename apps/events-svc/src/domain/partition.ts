import { hash } from "node:crypto";

/**
 * Number of partitions into which Project Clients are divided. A partition belongs to one worker, so this is also the
 * maximum number of workers that number and relay concurrently.
 */
export const partitionCount = 16;

/** Returns the partition of a Project Client, by hash. It is stored with each event, so it must never change. */
export function partitionOf(clientId: string): number {
  // The one-shot function is used because a Hash object costs three times as much, and every published event needs
  // this.
  return Number.parseInt(hash("sha256", clientId).slice(0, 8), 16) % partitionCount;
}
