import { expect, test } from "vitest";
import { type Conditions, flood, floodOverTurns, gateOf, send, settle, turn } from "./gate-under-test.ts";

test("a burst of one caller is taken whole, up to the limit and not one past it", () => {
  const gate = gateOf();
  expect(flood(gate, "a").running).toBe(100);
  expect(gate.refusal("a")).toBe("in_flight");
});

test("another caller is let in while one floods, up to an equal share", () => {
  const gate = gateOf();
  flood(gate, "flood");
  expect(gate.refusal("quiet")).toBe(null);
  expect(send(gate, "quiet")).toBe(null);
  expect(gate.refusal("flood")).toBe("in_flight");
  flood(gate, "quiet");
  expect(gate.inFlight() - 100).toBe(50);
});

test("callers without number cannot fill memory: twice the limit is the end for all", () => {
  const gate = gateOf();
  for (let caller = 0; caller < 5_000; caller += 1) flood(gate, `${caller}`, 1);
  expect(gate.inFlight()).toBe(200);
});

test("while the event loop stays late a flood is cut to the smaller room, and a quiet caller is not touched", () => {
  const gate = gateOf({ isPressed: true });
  flood(gate, "flood");
  expect(gate.inFlight()).toBe(40);
  expect(gate.refusal("flood")).toBe("event_loop");
  expect(gate.refusal("quiet")).toBe(null);
});

test("when the services are slow a flood waits too, for room that many at once make cheap", async () => {
  const conditions: Conditions = { slowdown: 4, inFlightMax: 1_000 };
  const gate = gateOf(conditions);
  send(gate, "quiet");
  settle(gate);
  expect(await floodOverTurns(gate, "flood", 200)).toBe(7);
});

test("while everyone is refused, a saturated process keeps more running: refusals take their part of each turn", async () => {
  const gate = gateOf({ isSaturated: true, inFlightMax: 1_000 });
  settle(gate);
  const one = flood(gate, "one", 600);
  const two = flood(gate, "two", 600);
  expect([gate.refusal("one"), gate.refusal("two")]).toEqual(["in_flight", "in_flight"]);
  gate.adjust();
  await turn();
  const running = one.running + two.running + (await releasedOf([...one.waiting, ...two.waiting]));
  expect(running).toBe(192);
});

test("one caller's refusals get it no more room beside another that is refused nothing", async () => {
  const gate = gateOf({ isSaturated: true, inFlightMax: 1_000 });
  send(gate, "quiet");
  settle(gate);
  const { running, waiting } = flood(gate, "flood", 1_000);
  expect(running).toBe(3);
  expect(gate.refusal("flood")).toBe("in_flight");
  gate.adjust();
  await turn();
  expect(await releasedOf(waiting)).toBe(0);
});

test("beside a quiet caller the room grows with the callers that are refused, as their refusals do", async () => {
  for (const [refused, most] of [
    [1, 4],
    [2, 48],
    [3, 96],
    [5, 192],
    [6, 192],
  ] as const) {
    const gate = gateOf({ isSaturated: true, inFlightMax: 1_000 });
    send(gate, "quiet");
    settle(gate);
    const floods = Array.from({ length: refused }, (_, index) => flood(gate, `flood-${index}`, 1_100));
    for (let index = 0; index < refused; index += 1) expect(gate.refusal(`flood-${index}`)).toBe("in_flight");
    gate.adjust();
    await turn();
    let running = 1;
    for (const { running: atOnce, waiting } of floods) running += atOnce + (await releasedOf(waiting));
    expect([refused, running]).toEqual([refused, most]);
  }
});

/** How many of those that waited have been let in. */
async function releasedOf(waiting: readonly Promise<unknown>[]): Promise<number> {
  const still = Symbol("still waiting");
  const all = await Promise.all(waiting.map((one) => Promise.race([one, Promise.resolve(still)])));
  return all.filter((one) => one !== still).length;
}

test("it is known how many callers are refused beside those that are not, for a second", () => {
  const gate = gateOf({ isSaturated: true, inFlightMax: 10 });
  const ticks = (count: number): void => {
    for (let tick = 0; tick < count; tick += 1) gate.adjust();
  };
  send(gate, "quiet");
  gate.adjust();
  expect(gate.refusedCallers()).toBe(0);
  flood(gate, "flood");
  ticks(1);
  expect(gate.refusedCallers()).toBe(1);
  ticks(19);
  expect(gate.refusedCallers()).toBe(1);
  ticks(1);
  expect(gate.refusedCallers()).toBe(0);
  flood(gate, "flood");
  flood(gate, "quiet");
  ticks(1);
  expect(gate.refusedCallers()).toBe(Number.POSITIVE_INFINITY);
});

test("a caller alone waits for nobody but itself, and for no more than keeps turns short", () => {
  const gate = gateOf({ isSaturated: true, inFlightMax: 1_000 });
  settle(gate);
  expect(flood(gate, "a", 500).running).toBe(128);
});

test("an address that a client's first request was counted for is no caller beside the client", async () => {
  for (const [isMisnamed, running] of [
    [true, 30],
    [false, 4],
  ] as const) {
    const gate = gateOf({ isSaturated: true, inFlightMax: 1_000 });
    send(gate, "address");
    if (isMisnamed) gate.misnamed("address");
    gate.leave("address");
    await turn();
    settle(gate);
    expect(flood(gate, "client", 30).running).toBe(running);
  }
});

test("an address is kept as a caller while something of it is in flight", async () => {
  const gate = gateOf({ isSaturated: true, inFlightMax: 1_000 });
  send(gate, "address");
  send(gate, "address");
  gate.misnamed("address");
  gate.leave("address");
  await turn();
  settle(gate);
  expect(flood(gate, "client", 30).running).toBe(3);
});

test("what nobody makes use of is not kept open for a flood to begin with", async () => {
  const gate = gateOf({ inFlightMax: 1_000 });
  send(gate, "quiet");
  settle(gate);
  expect(await floodOverTurns(gate, "flood", 500)).toBe(63);
});

test("when much has been asked for a second, what is in flight is bounded by what gets done in a tenth of one", async () => {
  const gate = gateOf({ inFlightMax: 1_000 });
  flood(gate, "a", 500);
  const pass = async (ticks: number): Promise<void> => {
    for (let tick = 0; tick < ticks; tick += 1) {
      for (let done = 0; done < 10; done += 1) gate.leave("a");
      await turn();
      gate.adjust();
      flood(gate, "a", 10);
    }
  };
  await pass(19);
  expect(gate.refusal("a")).toBe(null);
  await pass(1);
  expect(gate.refusal("a")).toBe("in_flight");
  expect(gate.refusal("b")).toBe(null);
  // What is refused is asked too: the bound stays while refusals are all that is left of the load.
  await pass(40);
  expect(gate.refusal("a")).toBe("in_flight");
});

test("after a quiet second a burst is a burst again", async () => {
  const gate = gateOf({ inFlightMax: 1_000 });
  flood(gate, "a", 500);
  settle(gate);
  expect(gate.refusal("a")).toBe("in_flight");
  for (let done = 0; done < 500; done += 1) gate.leave("a");
  await turn();
  settle(gate);
  flood(gate, "a", 500);
  expect(gate.refusal("a")).toBe(null);
});

test("when the processor has free moments again, all that waited are let in", async () => {
  const conditions: Conditions = { isSaturated: true, inFlightMax: 1_000 };
  const gate = gateOf(conditions);
  settle(gate);
  send(gate, "b");
  const { waiting } = flood(gate, "a", 30);
  expect(waiting).toHaveLength(27);
  conditions.isSaturated = false;
  settle(gate);
  let begun = 0;
  for (const waited of waiting) void waited.then(() => (begun += 1));
  for (let turns = 0; turns < 10; turns += 1) await turn();
  expect(begun).toBe(27);
});

test("a caller that goes away while it waits leaves nothing behind", async () => {
  const gate = gateOf({ isSaturated: true, inFlightMax: 1_000 });
  settle(gate);
  send(gate, "b");
  flood(gate, "a", 3);
  let hasBegun = false;
  const forget = gate.enter("a", () => {
    hasBegun = true;
  });
  expect(gate.inFlight()).toBe(5);
  forget?.();
  expect(gate.inFlight()).toBe(4);
  for (const caller of ["b", "a", "a", "a"]) gate.leave(caller);
  await turn();
  expect(gate.inFlight()).toBe(0);
  expect(hasBegun).toBe(false);
});

test("what leaves makes room, and a gate that everyone left is as new", async () => {
  const gate = gateOf({ inFlightMax: 2 });
  expect(flood(gate, "a").running).toBe(2);
  gate.leave("a");
  gate.leave("a");
  await turn();
  expect(gate.inFlight()).toBe(0);
  expect(flood(gate, "c", 2).running).toBe(2);
});
