import { expect, test } from "vitest";
import { flood, gateOf, send, settle, turn } from "./gate-under-test.ts";

test("on a saturated processor a flood waits for its turn and a quiet caller does not", async () => {
  const gate = gateOf({ isSaturated: true, inFlightMax: 1_000 });
  settle(gate);
  send(gate, "another");
  const { running, waiting } = flood(gate, "flood", 30);
  expect(running).toBe(3);
  expect(send(gate, "quiet")).toBe(null);
  let released = 0;
  for (const waited of waiting) void waited.then(() => (released += 1));
  gate.leave("quiet");
  for (let done = 0; done < 3; done += 1) gate.leave("flood");
  await turn();
  // Whoever leaves makes room for one, and not before the turn is over.
  expect(released).toBe(3);
});

test("quick answers of a flood are spread over turns: one turn has no more of them than may run at once", async () => {
  const gate = gateOf({ isSaturated: true, inFlightMax: 1_000 });
  settle(gate);
  send(gate, "quiet");
  let inThisTurn = 0;
  for (let index = 0; index < 100; index += 1) {
    const done = (): void => {
      inThisTurn += 1;
      gate.leave("flood");
    };
    const entered = send(gate, "flood");
    if (entered === null) done();
    else void entered.then(done);
  }
  for (let turns = 0; turns < 10; turns += 1) {
    expect(inThisTurn).toBeLessThanOrEqual(4);
    inThisTurn = 0;
    await turn();
  }
});

test("what one of several callers sends at once begins over turns, in its order, and a caller alone begins all of it", async () => {
  const gate = gateOf({ inFlightMax: 1_000 });
  expect(flood(gate, "alone", 50).running).toBe(50);
  for (let index = 0; index < 50; index += 1) gate.leave("alone");
  await turn();
  expect(send(gate, "quiet")).toBe(null);
  await turn();
  const { running, waiting } = flood(gate, "flood", 20);
  expect(running).toBe(3);
  const order: number[] = [];
  for (const [index, waited] of waiting.entries()) void waited.then(() => order.push(index));
  expect(send(gate, "quiet")).toBe(null);
  for (const begun of [3, 6, 9, 12, 15, 17]) {
    await turn();
    expect(order).toHaveLength(begun);
  }
  expect(order).toEqual(Array.from({ length: 17 }, (_, index) => index));
});

test("beside refusals of several callers a burst is not spread over turns, which they make long, and beside those of one it is", async () => {
  const gate = gateOf({ inFlightMax: 100 });
  send(gate, "quiet");
  await turn();
  flood(gate, "flood");
  expect(gate.refusal("flood")).toBe("in_flight");
  gate.adjust();
  expect(gate.refusedCallers()).toBe(1);
  expect(flood(gate, "another", 20).running).toBe(3);
  flood(gate, "another");
  gate.adjust();
  expect(gate.refusedCallers()).toBe(2);
  expect(flood(gate, "a third", 10).running).toBe(10);
});

test("those who wait take turns by caller, however many each has waiting", async () => {
  const gate = gateOf({ isSaturated: true, inFlightMax: 1_000 });
  settle(gate);
  send(gate, "another");
  const running = { many: 0, few: 0 };
  const released = { many: 0, few: 0 };
  const sendMany = (caller: "many" | "few", count: number): void => {
    const entered = flood(gate, caller, count);
    running[caller] += entered.running;
    for (const waited of entered.waiting) {
      void waited.then(() => {
        running[caller] += 1;
        released[caller] += 1;
      });
    }
  };
  sendMany("many", 300);
  sendMany("few", 80);
  for (let done = 0; done < 100; done += 1) {
    const caller = done % 2 === 0 ? "many" : "few";
    if (running[caller] === 0) continue;
    running[caller] -= 1;
    gate.leave(caller);
    await turn();
  }
  expect(released.few).toBeGreaterThan(30);
  expect(Math.abs(released.few - released.many)).toBeLessThanOrEqual(8);
});
