import type { OutboxEntry, PlatformFact } from "@platform/kit/store/documents";

/** Maximum number of events in one call, which is half of what events-svc accepts. */
export const factsMax = 500;
/** Maximum size of one call in bytes. A message between services may have at most 5 MiB. */
export const factBytesMax = 1024 * 1024;

/**
 * Splits the events of documents into batches of at most 500 events and 1 MiB. The events of a document may be spread
 * over several batches, in their order. An event that is larger than a batch gets its own batch.
 */
export function factBatches(entries: readonly OutboxEntry[]): OutboxEntry[][] {
  const batches: OutboxEntry[][] = [];
  let batch: { id: string; clientId: string; facts: PlatformFact[] }[] = [];
  let count = 0;
  let bytes = 0;
  for (const { id, clientId, facts } of entries) {
    for (const fact of facts) {
      const size = bytesOf(fact);
      if (count > 0 && (count === factsMax || bytes + size > factBytesMax)) {
        batches.push(batch);
        batch = [];
        count = 0;
        bytes = 0;
      }
      const last = batch.at(-1);
      if (last?.id === id) last.facts.push(fact);
      else batch.push({ id, clientId, facts: [fact] });
      count += 1;
      bytes += size;
    }
  }
  if (count > 0) batches.push(batch);
  return batches;
}

/** Returns the size of an event, including space for ids, the time and the encoding. */
const bytesOf = ({ key, type, data_json }: PlatformFact): number =>
  100 + Buffer.byteLength(key) + Buffer.byteLength(type) + Buffer.byteLength(data_json);
