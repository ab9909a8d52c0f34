import { expect, test } from "vitest";
import { createLoadGate } from "./load-gate.ts";

const never = new AbortController().signal;

function gateOf(options: { isPressed?: () => boolean; isSaturated?: () => boolean; inFlightMax?: number } = {}) {
  return createLoadGate({
    inFlightMax: options.inFlightMax ?? 100,
    inFlightPressed: 40,
    isPressed: options.isPressed ?? (() => false),
    isSaturated: options.isSaturated ?? (() => false),
  });
}

type Gate = ReturnType<typeof gateOf>;

/** Lets a caller send until it is neither let in nor has to wait; answers how many got in at once, and those that wait. */
function flood(gate: Gate, caller: string, most = 1_000) {
  const waiting: Promise<unknown>[] = [];
  let running = 0;
  while (running + waiting.length < most) {
    const entered = gate.enter(caller, never);
    if (entered instanceof Promise) waiting.push(entered);
    else if (entered === null) running += 1;
    else break;
  }
  return { running, waiting };
}

/** A gate whose processor was saturated for long, so that as few run as ever. */
function narrowGate(): Gate {
  const gate = gateOf({ isSaturated: () => true, inFlightMax: 1_000 });
  for (let tick = 0; tick < 50; tick += 1) gate.adjust();
  void gate.enter("another", never);
  return gate;
}

test("a caller alone has the whole process, and not more", () => {
  const gate = gateOf();
  expect(flood(gate, "a")).toEqual({ running: 100, waiting: [] });
  expect(gate.enter("a", never)).toBe("in_flight");
});

test("another caller is let in while one floods, up to an equal share", () => {
  const gate = gateOf();
  flood(gate, "flood");
  expect(gate.enter("quiet", never)).toBe(null);
  expect(gate.enter("flood", never)).toBe("in_flight");
  expect(gate.inFlight() - 100 + flood(gate, "quiet").running).toBe(50);
});

test("callers without number cannot fill memory: twice the limit is the end for all", () => {
  const gate = gateOf();
  for (let caller = 0; caller < 5_000; caller += 1) void gate.enter(`${caller}`, never);
  expect(gate.inFlight()).toBe(200);
});

test("while the event loop stays late a flood is cut to the smaller room, and a quiet caller is not touched", () => {
  const gate = gateOf({ isPressed: () => true });
  expect(flood(gate, "flood").running).toBe(40);
  expect(gate.enter("flood", never)).toBe("event_loop");
  expect(gate.enter("quiet", never)).toBe(null);
});

test("on a saturated processor a flood waits for its turn and a quiet caller does not", async () => {
  const gate = narrowGate();
  const { running, waiting } = flood(gate, "flood", 200);
  expect(running).toBe(15);
  expect(gate.enter("quiet", never)).toBe(null);
  let released = 0;
  for (const turn of waiting) void turn.then(() => (released += 1));
  gate.leave("quiet");
  // Whoever leaves makes room for one.
  for (let done = 0; done < 15; done += 1) gate.leave("flood");
  await Promise.all(waiting.slice(0, 15));
  expect(released).toBe(15);
});

test("a caller alone is never made to wait, however busy the processor", () => {
  const gate = gateOf({ isSaturated: () => true, inFlightMax: 1_000 });
  for (let tick = 0; tick < 50; tick += 1) gate.adjust();
  expect(flood(gate, "a").running).toBe(1_000);
});

test("those who wait take turns by caller, however many each has waiting", async () => {
  const gate = narrowGate();
  const running = { many: 0, few: 0 };
  const released = { many: 0, few: 0 };
  const send = (caller: "many" | "few", count: number): void => {
    const entered = flood(gate, caller, count);
    running[caller] += entered.running;
    for (const turn of entered.waiting) {
      void turn.then(() => {
        running[caller] += 1;
        released[caller] += 1;
      });
    }
  };
  send("many", 500);
  send("few", 80);
  for (let done = 0; done < 100; done += 1) {
    const caller = done % 2 === 0 ? "many" : "few";
    if (running[caller] === 0) continue;
    running[caller] -= 1;
    gate.leave(caller);
    await Promise.resolve();
  }
  expect(released.few).toBeGreaterThanOrEqual(released.many - 16);
  expect(released.many).toBeGreaterThanOrEqual(released.few - 16);
});

test("when the processor has free moments again, all that waited are let in", async () => {
  let isSaturated = true;
  const gate = gateOf({ isSaturated: () => isSaturated, inFlightMax: 1_000 });
  for (let tick = 0; tick < 50; tick += 1) gate.adjust();
  void gate.enter("b", never);
  const { waiting } = flood(gate, "a", 300);
  expect(waiting.length).toBeGreaterThan(200);
  isSaturated = false;
  for (let tick = 0; tick < 50; tick += 1) gate.adjust();
  expect(await Promise.all(waiting)).toEqual(waiting.map(() => null));
});

test("a caller that goes away while it waits leaves nothing behind", async () => {
  const gate = narrowGate();
  flood(gate, "a", 15);
  const abort = new AbortController();
  const entered = gate.enter("a", abort.signal);
  expect(gate.inFlight()).toBe(17);
  abort.abort();
  expect(await entered).toBe("in_flight");
  expect(gate.inFlight()).toBe(16);
});

test("what leaves makes room, and a gate that everyone left is as new", () => {
  const gate = gateOf({ inFlightMax: 2 });
  expect([gate.enter("a", never), gate.enter("a", never)]).toEqual([null, null]);
  gate.leave("a");
  expect(gate.enter("b", never)).toBe(null);
  gate.leave("a");
  gate.leave("b");
  expect(gate.inFlight()).toBe(0);
  expect(flood(gate, "c", 2).running).toBe(2);
});
