import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { createFairLimiter, type FairLimiterOptions, type Release } from "./fair-limiter.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const never = new AbortController().signal;
const settle = () => vi.advanceTimersByTimeAsync(0);

/** Creates a limiter, and records the order in which it admits and rejects requests. */
function limiterUnderTest(options: Partial<FairLimiterOptions> = {}) {
  const limiter = createFairLimiter({ capacity: 10, queueMax: 100, waitMs: 1_000, ...options });
  const order: string[] = [];
  const releases = new Map<string, Release>();
  const enter = (name: string, caller: string, units = 1, signal = never): boolean => {
    const note = (release: Release | null): void => {
      order.push(release === null ? `${name} refused` : name);
      if (release !== null) releases.set(name, release);
    };
    const entered = limiter.enter(caller, units, () => signal);
    if (entered instanceof Promise) void entered.then(note);
    else note(entered);
    return !(entered instanceof Promise) && entered !== null;
  };
  const flood = (count: number, caller = "flood"): void => {
    for (let index = 0; index < count; index += 1) enter(`${caller} ${index}`, caller);
  };
  const release = async (name: string): Promise<void> => {
    releases.get(name)?.();
    releases.delete(name);
    await settle();
  };
  return { enter, flood, release, releases, order, running: () => [...releases.keys()] };
}

describe("a single caller", () => {
  test("gives a single caller all of the capacity, and queues the excess in order", async () => {
    const { flood, release, order } = limiterUnderTest({ capacity: 3 });
    flood(5);
    expect(order).toEqual(["flood 0", "flood 1", "flood 2"]);
    await release("flood 1");
    await release("flood 0");
    expect(order.slice(3)).toEqual(["flood 3", "flood 4"]);
  });

  test("keeps all of the capacity in use for a single caller that continues to send requests", async () => {
    const { flood, release, running } = limiterUnderTest();
    flood(100);
    for (let done = 0; done < 90; done += 1) {
      expect(running()).toHaveLength(10);
      await release(running()[0] ?? "");
    }
  });

  test("admits a single request that is larger than the capacity", async () => {
    const { enter, release, order } = limiterUnderTest();
    expect(enter("huge", "a", 1_000)).toBe(true);
    expect(enter("next", "a")).toBe(false);
    await release("huge");
    expect(order).toEqual(["huge", "next"]);
  });
});

describe("a limiter that gives callers less capacity when they share it", () => {
  test("gives a single caller the full capacity, and admits a second caller immediately", () => {
    const { enter, flood, running } = limiterUnderTest({ capacity: 4, capacityAlone: 10 });
    flood(20);
    expect(running()).toHaveLength(10);
    expect([enter("quiet 0", "quiet"), enter("quiet 1", "quiet")]).toEqual([true, true]);
  });

  test("limits a flooding caller to the shared capacity once a second caller sends a request", async () => {
    const { enter, flood, release, running } = limiterUnderTest({ capacity: 4, capacityAlone: 10 });
    flood(50);
    enter("quiet", "quiet");
    await release("quiet");
    for (let done = 0; done < 20; done += 1) await release(running()[0] ?? "");
    expect(running()).toHaveLength(4);
  });

  test("returns to the full capacity ten seconds after the second caller's last request", async () => {
    const { enter, flood, release, running } = limiterUnderTest({ capacity: 4, capacityAlone: 10, waitMs: 60_000 });
    enter("quiet", "quiet");
    await release("quiet");
    flood(20);
    expect(running()).toHaveLength(4);
    await vi.advanceTimersByTimeAsync(10_000);
    await release("flood 0");
    expect(running()).toHaveLength(10);
  });
});

describe("a caller with few requests during a flood (CWE-400)", () => {
  test("admits another caller immediately while a flood uses the capacity and fills the queue", () => {
    const { enter, flood } = limiterUnderTest({ queueMax: 1_000 });
    flood(500);
    for (let index = 0; index < 5; index += 1) expect(enter(`quiet ${index}`, "quiet")).toBe(true);
  });

  test("admits another caller while requests of the flood are rejected", () => {
    const { enter, flood, order } = limiterUnderTest({ queueMax: 20 });
    flood(100);
    expect(order.filter((entry) => entry.endsWith("refused")).length).toBeGreaterThanOrEqual(60);
    expect(enter("quiet", "quiet")).toBe(true);
  });

  test("serves another caller before the flooding one, even if it uses more than its share", async () => {
    const { enter, flood, release, order } = limiterUnderTest();
    flood(50);
    for (let index = 0; index < 8; index += 1) enter(`quiet ${index}`, "quiet");
    order.length = 0;
    for (let index = 0; index < 3; index += 1) await release(`quiet ${index}`);
    for (let index = 0; index < 6; index += 1) await release(`flood ${index}`);
    expect(order.slice(0, 3)).toEqual(["quiet 5", "quiet 6", "quiet 7"]);
  });
});

describe("several callers that all want more than their share", () => {
  test("serves callers round robin, regardless of how many requests each has queued", async () => {
    const { flood, release, order, running } = limiterUnderTest({ queueMax: 1_000 });
    flood(300, "many");
    flood(60, "few");
    order.length = 0;
    for (let done = 0; done < 80; done += 1) await release(running()[0] ?? "");
    const few = order.filter((entry) => entry.startsWith("few")).length;
    expect(Math.abs(order.length - 2 * few)).toBeLessThanOrEqual(12);
  });

  test("uses at most twice the capacity for all callers together", () => {
    const { flood, running } = limiterUnderTest({ queueMax: 10_000 });
    for (let caller = 0; caller < 100; caller += 1) flood(5, `caller ${caller}`);
    expect(running().length).toBeLessThanOrEqual(20);
  });

  test("does not let smaller requests overtake a caller that is next", async () => {
    const { enter, release, order } = limiterUnderTest({ capacity: 50 });
    enter("a", "a", 50);
    enter("b", "b", 45);
    enter("large", "c", 40);
    enter("small", "d", 1);
    await settle();
    expect(order).toEqual(["a", "b"]);
    await release("a");
    expect(order).toEqual(["a", "b", "large", "small"]);
  });

  test("keeps the order of each caller's requests, including small requests behind a larger one", async () => {
    const { enter, release, order } = limiterUnderTest({ capacity: 50 });
    enter("first", "a", 30);
    enter("large", "a", 30);
    enter("small", "a", 10);
    await release("first");
    expect(order).toEqual(["first", "large", "small"]);
  });
});

describe("a full queue", () => {
  test("rejects a caller with more than an equal share of a full queue immediately", async () => {
    const { enter, flood, order } = limiterUnderTest({ queueMax: 20 });
    flood(31);
    expect(order.at(-1)).toBe("flood 30 refused");
    for (let index = 0; index < 11; index += 1) enter(`other ${index}`, "other");
    order.length = 0;
    enter("one more", "flood");
    expect(order).toEqual(["one more refused"]);
  });

  test("queues at most twice the queue's size for 200 callers together", () => {
    const { flood, order, running } = limiterUnderTest({ queueMax: 20 });
    for (let caller = 0; caller < 200; caller += 1) flood(2, `caller ${caller}`);
    const refused = order.filter((entry) => entry.endsWith("refused")).length;
    expect(400 - refused - running().length).toBeLessThanOrEqual(40);
  });

  test("rejects excess requests immediately if the queue has size 0", () => {
    const { flood, order } = limiterUnderTest({ capacity: 2, queueMax: 0 });
    flood(3);
    expect(order).toEqual(["flood 0", "flood 1", "flood 2 refused"]);
  });
});

describe("a request that waits", () => {
  test("rejects a request after its longest wait, and admits those behind it that fit", async () => {
    const { enter, order } = limiterUnderTest({ capacity: 50 });
    enter("a", "a", 50);
    enter("b", "b", 45);
    enter("large", "c", 20);
    await vi.advanceTimersByTimeAsync(1);
    enter("small", "d", 5);
    await vi.advanceTimersByTimeAsync(998);
    expect(order).toEqual(["a", "b"]);
    await vi.advanceTimersByTimeAsync(1);
    expect(order.sort()).toEqual(["a", "b", "large refused", "small"]);
    expect(vi.getTimerCount()).toBe(0);
  });

  test("removes a request from the queue when its client disconnects", async () => {
    const { enter, release, order } = limiterUnderTest({ capacity: 1 });
    const leaving = new AbortController();
    enter("first", "a");
    enter("gone", "a", 1, leaving.signal);
    enter("last", "a");
    leaving.abort();
    await settle();
    await release("first");
    expect(order).toEqual(["first", "gone refused", "last"]);
  });

  test("rejects a request whose client has already disconnected", async () => {
    const { enter, order } = limiterUnderTest({ capacity: 1 });
    enter("first", "a");
    enter("gone", "a", 1, AbortSignal.abort());
    await settle();
    expect(order).toEqual(["first", "gone refused"]);
  });
});

test("has released all of the capacity after every round", async () => {
  const { enter, release, order } = limiterUnderTest();
  for (let round = 0; round < 10; round += 1) {
    expect(enter("a", "a", 10)).toBe(true);
    expect(enter("b", "b", 5)).toBe(true);
    await release("a");
    await release("b");
  }
  expect(order).toHaveLength(20);
});

describe("a tick of the event loop", () => {
  const tick = () => vi.advanceTimersToNextTimerAsync();
  const promises = async (): Promise<void> => {
    for (let microtask = 0; microtask < 10; microtask += 1) await Promise.resolve();
  };
  /** Ends running requests, so that only the limit per tick delays the next ones. */
  const endAll = ({ running, releases }: ReturnType<typeof limiterUnderTest>): void => {
    for (const name of running()) releases.get(name)?.();
  };

  test("admits at most the maximum number of queued requests per tick while several callers share the capacity", async () => {
    const limiter = limiterUnderTest({ capacity: 8, sharedPerTick: 2 });
    limiter.enter("quiet", "quiet");
    limiter.flood(40);
    const { length } = limiter.order;
    endAll(limiter);
    await promises();
    expect(limiter.order.length - length).toBe(2);
    await tick();
    expect(limiter.order.length - length).toBe(4);
    await tick();
    expect(limiter.order.length - length).toBe(6);
  });

  test("admits another caller immediately although the maximum of the tick is reached", () => {
    const limiter = limiterUnderTest({ capacity: 8, sharedPerTick: 1 });
    limiter.enter("quiet", "quiet");
    limiter.flood(40);
    endAll(limiter);
    expect(limiter.enter("quiet again", "quiet")).toBe(true);
  });

  test("admits all requests of a single caller that fit", async () => {
    const limiter = limiterUnderTest({ capacity: 8, sharedPerTick: 1 });
    limiter.flood(40);
    const { length } = limiter.order;
    endAll(limiter);
    await promises();
    expect(limiter.order.length - length).toBe(8);
  });
});
