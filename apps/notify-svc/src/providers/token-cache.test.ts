import { describe, expect, it } from "vitest";
import { createTokenCache } from "./token-cache.ts";

function setUp() {
  let nowMs = 1_000_000;
  let created = 0;
  const cache = createTokenCache<number>({ useMs: 40, renewMs: 20, max: 2, clock: () => new Date(nowMs) });
  const create = (): number => {
    created += 1;
    return created;
  };
  return {
    get: (name = "a") => cache.get(name, create),
    renewableInMs: () => cache.renewableInMs("a"),
    renew: (refused: number, name = "a") => cache.renew(name, refused, create),
    forget: cache.forget,
    step: (ms: number) => {
      nowMs += ms;
    },
  };
}

describe("a provider's tokens", () => {
  it("uses a cached token until it expires", () => {
    const { get, step } = setUp();
    expect(get()).toBe(1);
    step(39);
    expect(get()).toBe(1);
    step(1);
    expect(get()).toBe(2);
  });

  it("treats a token from the future as stale, because the clock was set back", () => {
    const { get, step } = setUp();
    expect(get()).toBe(1);
    step(-1);
    expect(get()).toBe(2);
  });

  it("renews a rejected token once for all callers that used it", () => {
    const { get, renew } = setUp();
    expect(get()).toBe(1);
    expect([renew(1), renew(1), get()]).toEqual([2, 2, 2]);
  });

  it("does not renew a token again if the renewed one is rejected as well, until the provider allows another", () => {
    const { get, renew, renewableInMs, step } = setUp();
    get();
    expect(renewableInMs()).toBe(0);
    expect(renew(1)).toBe(2);
    expect(renew(2)).toBeNull();
    expect(renewableInMs()).toBe(20);
    step(19);
    expect(renew(2)).toBeNull();
    expect(renewableInMs()).toBe(1);
    step(1);
    expect(renewableInMs()).toBe(0);
    expect(renew(2)).toBe(3);
  });

  it("bounds the number of tokens, and discards them by profile", () => {
    const { get, forget } = setUp();
    expect([get("a x"), get("b x"), get("c x"), get("a x")]).toEqual([1, 2, 3, 4]);
    forget("c ");
    expect([get("a x"), get("c x")]).toEqual([4, 5]);
  });
});
