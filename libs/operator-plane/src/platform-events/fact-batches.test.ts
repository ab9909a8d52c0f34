import type { OutboxEntry } from "@platform/kit/store/documents";
import { expect, test } from "vitest";
import { factBatches, factBytesMax, factsMax } from "./fact-batches.ts";

const entry = (id: string, count: number, bytes = 2): OutboxEntry => ({
  id,
  clientId: "client",
  facts: Array.from({ length: count }, (_, index) => ({
    key: `k:${id}:${index}`,
    type: "platform.thing.done",
    data_json: "x".repeat(bytes),
    occurred_at: new Date(0),
  })),
});
const shape = (batches: readonly OutboxEntry[][]) =>
  batches.map((batch) => batch.map(({ id, facts }) => [id, facts.length]));

test("puts 500 events into one batch, and the next event into another", () => {
  expect(shape(factBatches([entry("a", factsMax)]))).toEqual([[["a", 500]]]);
  expect(shape(factBatches([entry("a", factsMax + 1)]))).toEqual([[["a", 500]], [["a", 1]]]);
});

test("splits 1,200 events of 12 documents, and keeps each document's order", () => {
  const entries = Array.from({ length: 12 }, (_, index) => entry(`${index}`, 100));
  const batches = factBatches(entries);
  expect(batches.map((batch) => batch.flatMap(({ facts }) => facts).length)).toEqual([500, 500, 200]);
  expect(batches.flat().flatMap(({ facts }) => facts)).toEqual(entries.flatMap(({ facts }) => facts));
});

test("splits batches by bytes, and puts an event that is larger than a batch into its own", () => {
  expect(shape(factBatches([entry("a", 3, factBytesMax / 3)]))).toEqual([[["a", 2]], [["a", 1]]]);
  expect(shape(factBatches([entry("a", 1), entry("b", 1, factBytesMax + 1), entry("c", 1)]))).toEqual([
    [["a", 1]],
    [["b", 1]],
    [["c", 1]],
  ]);
});

test("returns no batches for no events", () => {
  expect(factBatches([entry("a", 0)])).toEqual([]);
});
