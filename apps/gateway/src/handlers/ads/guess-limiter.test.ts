import { ServiceError } from "@platform/service-kit/errors/service-error";
import { describe, expect, it } from "vitest";
import { createGuessLimiter, type GuessLimiter } from "./guess-limiter.ts";

const guess = async (): Promise<never> => {
  throw new ServiceError("decision_token_invalid", "no token");
};
const valid = async (): Promise<string> => "recorded";

describe("createGuessLimiter", () => {
  const limited = (options: { failuresPerMinute?: number; waitingMax?: number; sourcesMax?: number }) => {
    const time = { nowMs: 0 };
    return { time, limiter: createGuessLimiter({ ...options, now: () => time.nowMs }) };
  };

  const fail = async (limiter: GuessLimiter, source: string, times = 1): Promise<void> => {
    for (let n = 0; n < times; n += 1) await expect(limiter.judge(source, guess)).rejects.toThrow("no token");
  };

  /** The most judgements of `source` that ran at once, of five asked for together. */
  const widthOf = async (limiter: GuessLimiter, source: string): Promise<number> => {
    let running = 0;
    let widest = 0;
    const work = async (): Promise<void> => {
      running += 1;
      widest = Math.max(widest, running);
      await new Promise((resolve) => setImmediate(resolve));
      running -= 1;
    };
    await Promise.all(Array.from({ length: 5 }, () => limiter.judge(source, work)));
    return widest;
  };

  it("judges one token at a time of a source that failed too often, and all others at once", async () => {
    const { limiter } = limited({ failuresPerMinute: 2 });
    await fail(limiter, "192.0.2.1");
    expect(await widthOf(limiter, "192.0.2.1")).toBe(5);
    await fail(limiter, "192.0.2.1");
    expect(await widthOf(limiter, "192.0.2.1")).toBe(1);
    expect(await widthOf(limiter, "192.0.2.2")).toBe(5);
  });

  it("still records the valid token of a limited source", async () => {
    const { limiter } = limited({ failuresPerMinute: 1 });
    await fail(limiter, "192.0.2.1", 500);
    expect(await limiter.judge("192.0.2.1", valid)).toBe("recorded");
  });

  it("refuses unjudged what a limited source sends beyond its queue", async () => {
    const { limiter } = limited({ failuresPerMinute: 1, waitingMax: 3 });
    await fail(limiter, "192.0.2.1");
    const outcomes = await Promise.allSettled(Array.from({ length: 5 }, () => limiter.judge("192.0.2.1", valid)));
    expect(outcomes.map(({ status }) => status)).toEqual([
      "fulfilled",
      "fulfilled",
      "fulfilled",
      "rejected",
      "rejected",
    ]);
    expect(await limiter.judge("192.0.2.1", valid)).toBe("recorded");
  });

  it("counts wrong tokens only, not expired ones or failures of ours", async () => {
    const { limiter } = limited({ failuresPerMinute: 1 });
    const expired = async (): Promise<never> => {
      throw new ServiceError("decision_token_expired", "expired");
    };
    await expect(limiter.judge("192.0.2.1", expired)).rejects.toThrow("expired");
    expect(await widthOf(limiter, "192.0.2.1")).toBe(5);
  });

  it("forgives when the minute is over", async () => {
    const { limiter, time } = limited({ failuresPerMinute: 1 });
    await fail(limiter, "192.0.2.1");
    time.nowMs = 59_999;
    expect(await widthOf(limiter, "192.0.2.1")).toBe(1);
    time.nowMs = 60_000;
    expect(await widthOf(limiter, "192.0.2.1")).toBe(5);
  });

  it("remembers a bounded number of sources", async () => {
    const { limiter } = limited({ failuresPerMinute: 1, sourcesMax: 2 });
    for (const source of ["192.0.2.1", "192.0.2.2", "192.0.2.3"]) await fail(limiter, source);
    expect(await widthOf(limiter, "192.0.2.1")).toBe(5);
    expect(await widthOf(limiter, "192.0.2.3")).toBe(1);
  });
});
