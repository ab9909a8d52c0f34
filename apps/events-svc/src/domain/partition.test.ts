import { newId } from "@platform/kit/process/secrets";
import { expect, test } from "vitest";
import { partitionCount, partitionOf } from "./partition.ts";

test("assigns a client to the same partition at each call and in every version", () => {
  expect(partitionOf("00000000-0000-0000-0000-000000000000")).toBe(12);
  expect(partitionOf("0198f2a4-7c1e-7d2b-9a3c-5e6f70819203")).toBe(5);
});

test("spreads consecutively created clients evenly over the partitions", () => {
  const counts = new Array<number>(partitionCount).fill(0);
  for (let made = 0; made < 16_000; made += 1) {
    const partition = partitionOf(newId());
    counts[partition] = (counts[partition] ?? 0) + 1;
  }
  for (const count of counts) expect(count).toSatisfy((seen: number) => seen > 850 && seen < 1_150);
});
