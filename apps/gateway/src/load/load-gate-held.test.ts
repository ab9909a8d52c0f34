import { expect, test } from "vitest";
import { type Conditions, flood, gateOf, send, turn } from "./gate-under-test.ts";

/** A gate with two callers, of which one has 32 that wait behind five that run. */
async function flooded() {
  const gate = gateOf({ inFlightMax: 1_000 });
  send(gate, "quiet");
  await turn();
  const { running, waiting } = flood(gate, "flood", 37);
  expect([running, waiting.length]).toEqual([5, 32]);
  return gate;
}

/** Has so many connections of the flood held; answers in which order they are read again. */
function hold(gate: ReturnType<typeof gateOf>, count: number): number[] {
  const read: number[] = [];
  for (let index = 0; index < count; index += 1) {
    expect(gate.hold("flood", () => read.push(index))).toBe(true);
  }
  return read;
}

test("what a flood's connections bring next is left unread once 32 of it wait, and a quiet caller's is read", async () => {
  const gate = await flooded();
  expect(gate.hold("quiet", () => {})).toBe(false);
  expect(gate.hold("flood", () => {})).toBe(true);
  const less = gateOf({ inFlightMax: 1_000 });
  send(less, "quiet");
  await turn();
  expect(flood(less, "flood", 36).waiting).toHaveLength(31);
  expect(less.hold("flood", () => {})).toBe(false);
});

test("a caller that is alone, and one nobody knows, has its connections read", async () => {
  const gate = gateOf({ inFlightMax: 1_000 });
  expect(flood(gate, "alone", 300).waiting.length).toBeGreaterThan(32);
  expect(gate.hold("alone", () => {})).toBe(false);
  expect(gate.hold("unknown", () => {})).toBe(false);
});

test("connections are read again in their order as requests leave: one for every other, so that fewer wait", async () => {
  const gate = await flooded();
  const read = hold(gate, 20);
  for (let turns = 0; turns < 4; turns += 1) {
    // More come anew than begin, on other connections: those that are held are read all the same.
    flood(gate, "flood", 20);
    for (const _ of [1, 2, 3, 4]) gate.leave("flood");
    await turn();
    await turn();
  }
  expect(read).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
});

test("while few wait two are read for each that leaves, for not each of them brings a request at once", async () => {
  const gate = await flooded();
  const read = hold(gate, 20);
  await turn();
  gate.leave("flood");
  gate.leave("flood");
  await turn();
  expect(read).toEqual([0, 1, 2, 3]);
});

test("everything is read beside refusals of several callers, to be judged, and not beside those of one", async () => {
  const conditions: Conditions = { inFlightMax: 100 };
  const gate = gateOf(conditions);
  send(gate, "quiet");
  await turn();
  flood(gate, "flood", 37);
  const read = hold(gate, 3);
  // So that enough of it goes on waiting.
  conditions.isSaturated = true;
  gate.adjust();
  flood(gate, "flood");
  expect(gate.refusal("flood")).toBe("in_flight");
  gate.adjust();
  expect(read).toEqual([]);
  expect(gate.hold("flood", () => {})).toBe(true);
  flood(gate, "another");
  expect(gate.refusal("another")).toBe("in_flight");
  gate.adjust();
  expect(read).toEqual([0, 1, 2]);
  expect(gate.hold("flood", () => {})).toBe(false);
});

test("no connection is left unread when nothing of its caller waits any more", async () => {
  const gate = await flooded();
  const read = hold(gate, 3);
  for (let turns = 0; turns < 20; turns += 1) await turn();
  expect(read).toEqual([]);
  gate.adjust();
  expect(read).toEqual([0, 1, 2]);
});

test("a connection that is not read counts as a request of its caller, which is refused what is beyond its share", async () => {
  const gate = gateOf({ inFlightMax: 100 });
  send(gate, "quiet");
  await turn();
  flood(gate, "flood", 37);
  hold(gate, 61);
  expect(gate.inFlight()).toBe(99);
  expect(gate.refusal("flood")).toBeNull();
  hold(gate, 1);
  expect(gate.refusal("flood")).toBe("in_flight");
  expect(gate.refusal("quiet")).toBeNull();
});
