import { describe, expect, it } from "vitest";
import { createGuessLimiter } from "./guess-limiter.ts";

describe("createGuessLimiter", () => {
  const limited = (failuresPerMinute: number, sourcesMax = 100) => {
    const time = { nowMs: 0 };
    return { time, limiter: createGuessLimiter({ failuresPerMinute, sourcesMax, now: () => time.nowMs }) };
  };

  it("refuses a source once it has failed too often, and no other", () => {
    const { limiter } = limited(2);
    limiter.countFailure("192.0.2.1");
    expect(limiter.mayTry("192.0.2.1")).toBe(true);
    limiter.countFailure("192.0.2.1");
    expect(limiter.mayTry("192.0.2.1")).toBe(false);
    expect(limiter.mayTry("192.0.2.2")).toBe(true);
  });

  it("forgives when the minute is over", () => {
    const { limiter, time } = limited(1);
    limiter.countFailure("192.0.2.1");
    time.nowMs = 59_999;
    expect(limiter.mayTry("192.0.2.1")).toBe(false);
    time.nowMs = 60_000;
    expect(limiter.mayTry("192.0.2.1")).toBe(true);
  });

  it("takes all addresses of one IPv6 /64 for one source", () => {
    const { limiter } = limited(1);
    limiter.countFailure("2001:db8:1:2::1");
    expect(limiter.mayTry("2001:0db8:1:2:ffff:ffff:ffff:ffff")).toBe(false);
    expect(limiter.mayTry("2001:db8:1:3::1")).toBe(true);
  });

  it("takes an IPv4 address for the same source however it is written", () => {
    const { limiter } = limited(1);
    limiter.countFailure("::ffff:192.0.2.1");
    expect(limiter.mayTry("192.0.2.1")).toBe(false);
  });

  it("remembers a bounded number of sources", () => {
    const { limiter } = limited(1, 2);
    for (const source of ["192.0.2.1", "192.0.2.2", "192.0.2.3"]) limiter.countFailure(source);
    expect(limiter.mayTry("192.0.2.1")).toBe(true);
    expect(limiter.mayTry("192.0.2.3")).toBe(false);
  });
});
