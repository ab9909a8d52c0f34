import { expect, test } from "vitest";
import { acknowledge, begin, createSequence, found } from "./entry.ts";

test("stores a second id in addition to the first for one key, and ignores a repeated id", () => {
  const entry = begin(new Map(), "client", "key");
  acknowledge(entry, "a");
  acknowledge(entry, "a");
  expect(entry).toMatchObject({ id: "a", otherId: null });
  acknowledge(entry, "b");
  expect(entry).toMatchObject({ id: "a", otherId: "b" });
});

test("reports a second stored record with one key as doubled", () => {
  const entry = begin(new Map(), "client", "key");
  found(entry, "a");
  expect(entry).toMatchObject({ storedId: "a", isDoubled: false });
  found(entry, "b");
  expect(entry.isDoubled).toBe(true);
});

test.each([
  { name: "in any order, past the first allocation", numbers: [...Array(100_000).keys()].map((n) => n + 1).reverse() },
  { name: "none at all", numbers: [] },
])("accepts complete counts: $name", ({ numbers }) => {
  const sequence = createSequence();
  for (const number of numbers) sequence.add(number);
  expect(sequence.isWhole()).toBe(true);
});

test.each([
  { name: "a gap", numbers: [1, 2, 4] },
  { name: "a repetition that hides a gap", numbers: [1, 1, 3] },
  { name: "a beginning that is missing", numbers: [2, 3] },
])("reports incomplete counts: $name", ({ numbers }) => {
  const sequence = createSequence();
  for (const number of numbers) sequence.add(number);
  expect(sequence.isWhole()).toBe(false);
});
