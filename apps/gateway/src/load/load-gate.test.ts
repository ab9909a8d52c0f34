import { expect, test } from "vitest";
import { createLoadGate } from "./load-gate.ts";

function gateOf(options: { isPressed?: () => boolean; inFlightMax?: number } = {}) {
  return createLoadGate({
    inFlightMax: options.inFlightMax ?? 100,
    inFlightPressed: 40,
    isPressed: options.isPressed ?? (() => false),
  });
}

/** Lets a caller send until it is refused; answers how many got in. */
function flood(gate: ReturnType<typeof gateOf>, caller: string, most = 1_000): number {
  for (let sent = 0; sent < most; sent += 1) if (gate.enter(caller) !== null) return sent;
  return most;
}

test("a caller alone has the whole process, and not more", () => {
  const gate = gateOf();
  expect(flood(gate, "a")).toBe(100);
  expect(gate.enter("a")).toBe("in_flight");
});

test("another caller is let in while one floods, up to an equal share", () => {
  const gate = gateOf();
  flood(gate, "flood");
  expect(gate.enter("quiet")).toBe(null);
  expect(gate.enter("flood")).toBe("in_flight");
  expect(flood(gate, "quiet")).toBe(49);
});

test("callers without number cannot fill memory: twice the limit is the end for all", () => {
  const gate = gateOf();
  let admitted = 0;
  for (let caller = 0; caller < 5_000; caller += 1) if (gate.enter(`${caller}`) === null) admitted += 1;
  expect(admitted).toBe(200);
  expect(gate.inFlight()).toBe(200);
});

test("while the event loop is pressed a flood is cut to the smaller room, and a quiet caller is not touched", () => {
  const gate = gateOf({ isPressed: () => true });
  expect(flood(gate, "flood")).toBe(40);
  expect(gate.enter("flood")).toBe("event_loop");
  expect(gate.enter("quiet")).toBe(null);
});

test("what leaves makes room, and a gate that everyone left is as new", () => {
  const gate = gateOf({ inFlightMax: 2 });
  expect([gate.enter("a"), gate.enter("a")]).toEqual([null, null]);
  gate.leave("a");
  expect(gate.enter("b")).toBe(null);
  gate.leave("a");
  gate.leave("b");
  expect(gate.inFlight()).toBe(0);
  expect(flood(gate, "c", 2)).toBe(2);
});
