import { expect, it } from "vitest";
import { createReadingPace, dataPerTurn } from "./reading-pace.ts";

/** Runs a loop over events of these lengths, and counts the turns that other work has in the meantime. */
async function turnsDuring(lengths: readonly number[]): Promise<number> {
  const pace = createReadingPace();
  let turns = 0;
  let isDone = false;
  const count = (): void => {
    if (isDone) return;
    turns += 1;
    setImmediate(count);
  };
  setImmediate(count);
  for (const length of lengths) await pace(length);
  isDone = true;
  return turns;
}

it("keeps the turn while less than 256 KiB has been read", async () => {
  expect(await turnsDuring([dataPerTurn - 2, 1])).toBe(0);
});

it("lets other work run each time that 256 KiB has been read", async () => {
  expect(await turnsDuring([dataPerTurn - 1, 1])).toBe(1);
  expect(await turnsDuring(Array.from({ length: 16 }, () => dataPerTurn))).toBe(16);
});
