import { expect, it } from "vitest";
import { createReadingPace, dataPerTurn } from "./reading-pace.ts";

/** Runs a loop over events of the given lengths, and counts how often other work runs in between. */
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

it("does not yield to other work before 256 KiB have been read", async () => {
  expect(await turnsDuring([dataPerTurn - 2, 1])).toBe(0);
});

it("yields to other work after every 256 KiB", async () => {
  expect(await turnsDuring([dataPerTurn - 1, 1])).toBe(1);
  expect(await turnsDuring(Array.from({ length: 16 }, () => dataPerTurn))).toBe(16);
});

it("applies the limit to all reading loops together, and resumes waiting loops in order, one per event-loop tick", async () => {
  const pace = createReadingPace();
  const order: string[] = [];
  let turn = 0;
  const count = (): void => {
    turn += 1;
    if (turn < 10) setImmediate(count);
  };
  const loop = async (name: string): Promise<void> => {
    for (let index = 0; index < 2; index += 1) {
      order.push(`${name} in turn ${turn}`);
      await pace(dataPerTurn);
    }
  };
  const loops = ["a", "b", "c"].map(loop);
  setImmediate(count);
  await Promise.all(loops);
  // Each loop begins with one event, because it does not know how long the following ones are.
  expect(order).toEqual(
    ["a", "b", "c"].map((name) => `${name} in turn 0`).concat(["a in turn 0", "b in turn 1", "c in turn 2"]),
  );
});
