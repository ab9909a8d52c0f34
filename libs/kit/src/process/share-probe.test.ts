import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { shareProbe } from "./share-probe.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"], now: 1_000 }));
afterEach(() => void vi.useRealTimers());

const options = { keptMs: 300, lateMs: 500, late: "down" };

test("serves a thousand concurrent callers with one probe", async () => {
  let probes = 0;
  const ask = shareProbe(async () => {
    probes += 1;
    return `answer ${probes}`;
  }, options);
  const answers = await Promise.all(Array.from({ length: 1_000 }, ask));
  expect(new Set(answers)).toEqual(new Set(["answer 1"]));
  expect(probes).toBe(1);
});

test("reuses a result until it is too old", async () => {
  let probes = 0;
  const ask = shareProbe(async () => {
    probes += 1;
    return `answer ${probes}`;
  }, options);
  await ask();
  vi.advanceTimersByTime(299);
  expect(await ask()).toBe("answer 1");
  vi.advanceTimersByTime(2);
  expect(await ask()).toBe("answer 2");
});

test("responds in time while a probe hangs, starts no second probe, and recovers once the probe returns", async () => {
  let probes = 0;
  let end = (_answer: string): void => {};
  const ask = shareProbe(() => {
    probes += 1;
    return new Promise<string>((resolve) => {
      end = resolve;
    });
  }, options);
  const first = ask();
  await vi.advanceTimersByTimeAsync(500);
  expect(await first).toBe("down");
  await vi.advanceTimersByTimeAsync(5_000);
  expect(await ask()).toBe("down");
  expect(probes).toBe(1);
  end("ok");
  await vi.advanceTimersByTimeAsync(0);
  const next = ask();
  end("ok");
  expect(await next).toBe("ok");
});

test("returns the same result for a failed probe as for a late one", async () => {
  const ask = shareProbe(() => Promise.reject(new Error("refused")), options);
  expect(await ask()).toBe("down");
});
