import { describe, expect, it } from "vitest";
import type { Outcome } from "./delivery.ts";
import { createLanes, type LaneLimits } from "./lanes.ts";

const limits: LaneLimits = {
  perLane: 4,
  connectionsOf: (lane) => (lane === "narrow" ? 2 : 10),
  total: 16,
  failuresMax: 3,
  pauseMs: 1_000,
  pauseMsMax: 4_000,
};
const timedOut: Outcome = {
  kind: "retry",
  providerStatus: "no_answer",
  errorCode: "provider_timeout",
  retryAfterMs: null,
  isProviderWide: true,
};
const busyMailbox: Outcome = { ...timedOut, providerStatus: "throttled", isProviderWide: false };
const accepted: Outcome = { kind: "accepted" };

let made = 0;
function waiting(lane: string, count: number, endpointId?: string, dueMs = 0) {
  return Array.from({ length: count }, () => {
    made += 1;
    const id = `${lane}-${made}`;
    return { id, lane, dueAt: new Date(dueMs), endpointId: endpointId ?? id };
  });
}
const lanesOf = (ids: readonly string[]): string[] => ids.map((id) => id.replace(/-\d+$/, ""));
const countOf = (ids: readonly string[], lane: string): number => lanesOf(ids).filter((name) => name === lane).length;

describe("choosing what to claim", () => {
  it("serves every queue in turn, however long one of them is", () => {
    const chosen = createLanes(limits).choose([...waiting("big", 1_000), ...waiting("a", 1), ...waiting("b", 1)], 1);
    expect(lanesOf(chosen).slice(0, 3)).toEqual(["big", "a", "b"]);
    expect(countOf(chosen, "big")).toBe(limits.perLane);
  });

  it("chooses no more of a queue than it has connections for", () => {
    expect(createLanes(limits).choose(waiting("narrow", 10), 1)).toHaveLength(2);
  });

  it("does not choose deliveries that are not due", () => {
    expect(createLanes(limits).choose(waiting("a", 3, undefined, 5_000), 4_999)).toEqual([]);
  });

  it("reserves slots for idle queues, however many others are full", () => {
    const lanes = createLanes(limits);
    const many = Array.from({ length: 10 }, (_, index) => waiting(`lane${index}`, 50)).flat();
    for (const id of lanes.choose(many, 1)) lanes.begin(id.replace(/-\d+$/, ""), id);
    const late = lanes.choose([...many, ...waiting("late", 5)], 1);
    expect(countOf(late, "late")).toBe(1);
  });

  it("sends one at a time to an endpoint until five in a row were accepted, so that a dead address is tried once", () => {
    const lanes = createLanes(limits);
    const queue = waiting("a", 4, "endpoint");
    for (let time = 0; time < 5; time += 1) {
      expect(lanes.choose(queue, 1)).toHaveLength(1);
      lanes.begin("a", "endpoint");
      expect(lanes.choose(queue, 1)).toHaveLength(0);
      lanes.end("a", "endpoint", accepted, 1);
    }
    expect(lanes.choose(queue, 1)).toHaveLength(4);
    lanes.begin("a", "endpoint");
    lanes.end("a", "endpoint", { kind: "address_dead", errorCode: "x" }, 1);
    expect(lanes.choose(queue, 1)).toHaveLength(1);
  });
});

describe("a provider that is unwell", () => {
  const fail = (lanes: ReturnType<typeof createLanes>, times: number, outcome: Outcome, nowMs: number): void => {
    for (let time = 0; time < times; time += 1) {
      lanes.begin("bad", `e${time}`);
      lanes.end("bad", `e${time}`, outcome, nowMs);
    }
  };

  it("pauses only the failing queue after failures in a row", () => {
    const lanes = createLanes(limits);
    fail(lanes, 3, timedOut, 0);
    const chosen = lanes.choose([...waiting("bad", 9), ...waiting("good", 9)], 999);
    expect([countOf(chosen, "bad"), countOf(chosen, "good")]).toEqual([0, 4]);
  });

  it("probes with one delivery after each longer pause, and resumes fully after a success", () => {
    const lanes = createLanes(limits);
    fail(lanes, 3, timedOut, 0);
    expect(lanes.choose(waiting("bad", 9), 1_000)).toHaveLength(1);
    fail(lanes, 1, timedOut, 1_000);
    expect(lanes.choose(waiting("bad", 9), 2_999)).toHaveLength(0);
    expect(lanes.choose(waiting("bad", 9), 3_000)).toHaveLength(1);
    fail(lanes, 1, accepted, 3_000);
    expect(lanes.choose(waiting("bad", 9), 3_000)).toHaveLength(4);
  });

  it("does not pause a queue because of one busy mailbox", () => {
    const lanes = createLanes(limits);
    fail(lanes, 9, busyMailbox, 0);
    expect(lanes.choose(waiting("bad", 9), 1)).toHaveLength(4);
  });
});
