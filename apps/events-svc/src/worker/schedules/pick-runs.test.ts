import { describe, expect, test } from "vitest";
import { countCalls, pickFairly } from "./pick-runs.ts";

const run = (id: string, operationId = "operation", clientId = "client") => ({ id, clientId, operationId });
const limits = { total: 8, perOperation: 2, perSubscribed: 3, perClient: 4 };

describe("places for calls", () => {
  test("uses one slot per run however often it is found, and releases it once", () => {
    const calls = countCalls(limits);
    expect(calls.take(run("a"))).toBe(true);
    expect(calls.take(run("a"))).toBe(false);
    expect([calls.holds("a"), calls.free(), calls.freeOf("operation")]).toEqual([true, 7, 1]);
    calls.giveBack(run("a"));
    calls.giveBack(run("a"));
    expect([calls.holds("a"), calls.free(), calls.freeOf("operation")]).toEqual([false, 8, 2]);
  });

  test("limits an operation to its slots", () => {
    const calls = countCalls(limits);
    expect(["a", "b", "c"].map((id) => calls.take(run(id)))).toEqual([true, true, false]);
    calls.giveBack(run("a"));
    expect(calls.take(run("c"))).toBe(true);
  });

  test("shares slots between clients in turn, and leaves one client's share free", () => {
    const calls = countCalls(limits);
    const waiting = ["x", "y"].flatMap((client) =>
      Array.from({ length: 6 }, (_, index) => run(`${client}${index}`, `${client}-${index}`, client)),
    );
    // Each of two has at most a third of eight: the last third is for a client that has yet to come.
    const picked = pickFairly(waiting, calls, 8);
    expect(picked.map(({ id }) => id)).toEqual(["x0", "y0", "x1", "y1"]);
    expect([calls.hasPlaceFor("x"), calls.hasPlaceFor("z")]).toEqual([false, true]);
  });
});
