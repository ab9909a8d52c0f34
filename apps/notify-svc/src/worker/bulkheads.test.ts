import { describe, expect, it } from "vitest";
import type { Outcome } from "../domain/delivery.ts";
import { type BulkheadLimits, type Bulkheads, createBulkheads } from "./bulkheads.ts";

const limits: BulkheadLimits = {
  perBulkhead: 4,
  connectionsOf: (bulkhead) => (bulkhead === "narrow" ? 2 : 10),
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
function waiting(bulkhead: string, count: number, endpointId?: string) {
  return Array.from({ length: count }, () => {
    made += 1;
    const id = `${bulkhead}-${made}`;
    return { id, bulkhead, endpointId: endpointId ?? id };
  });
}
type Waiting = ReturnType<typeof waiting>[number];
/** Chooses deliveries and keeps the permits. */
const choose = (bulkheads: Bulkheads, queue: readonly Waiting[], nowMs: number): string[] =>
  bulkheads.choose(queue, nowMs).map(({ item }) => item.id);
/** Chooses deliveries and releases the permits immediately. */
const wouldChoose = (bulkheads: Bulkheads, queue: readonly Waiting[], nowMs: number): string[] => {
  const taken = bulkheads.choose(queue, nowMs);
  for (const { release } of taken) release();
  return taken.map(({ item }) => item.id);
};
const bulkheadsOf = (ids: readonly string[]): string[] => ids.map((id) => id.replace(/-\d+$/, ""));
const countOf = (ids: readonly string[], bulkhead: string): number =>
  bulkheadsOf(ids).filter((name) => name === bulkhead).length;

/** A delivery of a bulkhead with two connections. */
const narrow = { bulkhead: "narrow", endpointId: "endpoint" };

describe("the choice of deliveries to claim", () => {
  it("serves bulkheads round robin, regardless of their backlogs", () => {
    const queue = [...waiting("big", 1_000), ...waiting("a", 1), ...waiting("b", 1)];
    const chosen = choose(createBulkheads(limits), queue, 1);
    expect(bulkheadsOf(chosen).slice(0, 3)).toEqual(["big", "a", "b"]);
    expect(countOf(chosen, "big")).toBe(limits.perBulkhead);
  });

  it("claims no more deliveries of a bulkhead than it has connections", () => {
    expect(choose(createBulkheads(limits), waiting("narrow", 10), 1)).toHaveLength(2);
  });

  it("claims four times as many while the provider responds quickly, and lets two of them be sent at a time", async () => {
    const bulkheads = createBulkheads({ ...limits, perBulkhead: 2 });
    (await bulkheads.takeTurn(narrow))?.();
    expect(choose(bulkheads, waiting("narrow", 10), 1)).toHaveLength(8);
    const first = await bulkheads.takeTurn(narrow);
    await bulkheads.takeTurn(narrow);
    let isThirdSent = false;
    const third = bulkheads.takeTurn(narrow).then((turn) => {
      isThirdSent = turn !== null;
    });
    await Promise.resolve();
    expect(isThirdSent).toBe(false);
    first?.();
    await third;
    expect(isThirdSent).toBe(true);
  });

  it("gives back the deliveries that wait for their turn when the provider begins to fail", async () => {
    const bulkheads = createBulkheads({ ...limits, perBulkhead: 2 });
    const first = await bulkheads.takeTurn(narrow);
    await bulkheads.takeTurn(narrow);
    const waits = [bulkheads.takeTurn(narrow), bulkheads.takeTurn(narrow)];
    for (let failure = 0; failure < limits.failuresMax; failure += 1) bulkheads.record("narrow", "e", timedOut, 1);
    first?.();
    expect(await Promise.all(waits)).toEqual([null, null]);
    expect(await bulkheads.takeTurn(narrow)).not.toBeNull();
  });

  it("gives back the deliveries of an endpoint that wait for their turn when it does not accept another one", async () => {
    const bulkheads = createBulkheads({ ...limits, perBulkhead: 2 });
    for (let count = 0; count < 5; count += 1) bulkheads.record("narrow", "endpoint", accepted, 1);
    const first = await bulkheads.takeTurn(narrow);
    await bulkheads.takeTurn(narrow);
    const waits = [narrow, { ...narrow, endpointId: "other" }].map(bulkheads.takeTurn);
    bulkheads.record("narrow", "endpoint", busyMailbox, 1);
    first?.();
    const [throttled, other] = await Promise.all(waits);
    expect(throttled).toBeNull();
    expect(other).not.toBeNull();
  });

  it("reserves permits for idle bulkheads, even if many others have a backlog", () => {
    const bulkheads = createBulkheads(limits);
    const many = Array.from({ length: 10 }, (_, index) => waiting(`bulkhead${index}`, 50)).flat();
    choose(bulkheads, many, 1);
    const late = choose(bulkheads, [...many, ...waiting("late", 5)], 1);
    expect(countOf(late, "late")).toBe(1);
  });

  it("sends one delivery at a time to an endpoint until five in a row were accepted", () => {
    const bulkheads = createBulkheads(limits);
    const queue = waiting("a", 4, "endpoint");
    for (let time = 0; time < 5; time += 1) {
      const [first, ...others] = bulkheads.choose(queue, 1);
      expect([first === undefined, others.length, choose(bulkheads, queue, 1).length]).toEqual([false, 0, 0]);
      first?.release();
      bulkheads.record("a", "endpoint", accepted, 1);
    }
    expect(wouldChoose(bulkheads, queue, 1)).toHaveLength(4);
    bulkheads.record("a", "endpoint", { kind: "address_dead", errorCode: "x" }, 1);
    expect(wouldChoose(bulkheads, queue, 1)).toHaveLength(1);
  });
});

describe("a failing provider", () => {
  const fail = (bulkheads: Bulkheads, times: number, outcome: Outcome, nowMs: number): void => {
    for (let time = 0; time < times; time += 1) bulkheads.record("bad", `e${time}`, outcome, nowMs);
  };

  it("pauses only the bulkhead whose provider fails, after several failures in a row", () => {
    const bulkheads = createBulkheads(limits);
    fail(bulkheads, 3, timedOut, 0);
    const chosen = choose(bulkheads, [...waiting("bad", 9), ...waiting("good", 9)], 999);
    expect([countOf(chosen, "bad"), countOf(chosen, "good")]).toEqual([0, 4]);
  });

  it("probes with one delivery after each pause, which grows longer, and resumes fully after a success", () => {
    const bulkheads = createBulkheads(limits);
    fail(bulkheads, 3, timedOut, 0);
    expect(wouldChoose(bulkheads, waiting("bad", 9), 1_000)).toHaveLength(1);
    fail(bulkheads, 1, timedOut, 1_000);
    expect(wouldChoose(bulkheads, waiting("bad", 9), 2_999)).toHaveLength(0);
    expect(wouldChoose(bulkheads, waiting("bad", 9), 3_000)).toHaveLength(1);
    fail(bulkheads, 1, accepted, 3_000);
    expect(wouldChoose(bulkheads, waiting("bad", 9), 3_000)).toHaveLength(4);
  });

  it("never probes with the same recipient twice in a row while another one waits", () => {
    const bulkheads = createBulkheads(limits);
    fail(bulkheads, 3, timedOut, 0);
    const queue = [...waiting("bad", 5, "dead"), ...waiting("bad", 1, "alive")];
    const probe = (nowMs: number): string | undefined => {
      const [taken] = bulkheads.choose(queue, nowMs);
      taken?.release();
      return taken?.item.endpointId;
    };
    expect(probe(1_000)).toBe("dead");
    bulkheads.record("bad", "dead", timedOut, 1_000);
    expect(probe(3_000)).toBe("alive");
    bulkheads.record("bad", "alive", busyMailbox, 3_000);
    expect(probe(3_000)).toBe("dead");
    bulkheads.record("bad", "dead", accepted, 3_000);
    expect(wouldChoose(bulkheads, queue, 3_000)).toHaveLength(2);
  });

  it("probes with the same recipient again if it is the only one", () => {
    const bulkheads = createBulkheads(limits);
    fail(bulkheads, 3, timedOut, 0);
    bulkheads.record("bad", "dead", timedOut, 0);
    expect(wouldChoose(bulkheads, waiting("bad", 2, "dead"), 1_000)).toHaveLength(1);
  });

  it("does not pause a bulkhead because of one busy mailbox", () => {
    const bulkheads = createBulkheads(limits);
    fail(bulkheads, 9, busyMailbox, 0);
    expect(wouldChoose(bulkheads, waiting("bad", 9), 1)).toHaveLength(4);
  });
});
