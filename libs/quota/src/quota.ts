import type { Redis } from "ioredis";
import { giveBackOnceScript, giveBackScript, spendScript, spendUpToScript } from "./quota-lua.ts";
import { giveBackMarkKey, quotaKey, quotaWindowOf, windowArgument } from "./quota-windows.ts";

/** What a spend answered: the figure after it, or why it was refused. */
export type SpendResult =
  | { readonly isSpent: true; readonly used: number /** Pass it to `giveBack`. */; readonly windowEndsAtMs: number }
  | {
      readonly isSpent: false;
      readonly reason: "exceeded";
      readonly used: number;
      readonly limit: number;
      readonly retryAfterSeconds: number;
    }
  /** Redis does not know the level (a new client, or it came back empty): count it at its owner, `restoreLevel`, spend again. */
  | { readonly isSpent: false; readonly reason: "level_unknown" };

/** What a spend of up to some units answered. */
export type PartialSpend = {
  /** Units taken, from none to all that were asked for. */
  readonly taken: number;
  /** Pass it to `giveBack`. */
  readonly windowEndsAtMs: number;
  /** When there is room again for what was not taken. */
  readonly retryAfterSeconds: number;
};

/** Hard-quota counters. Check and charge are one atomic step in Redis; time is Redis's own. */
export type Quota = {
  /** Takes `amount` units when they fit under `limit`, else takes nothing. */
  spend(clientId: string, resource: string, amount: number, limit: number): Promise<SpendResult>;
  /** Takes as many of `amount` units of a window as still fit under `limit`. Throws for a level. */
  spendUpTo(clientId: string, resource: string, amount: number, limit: number): Promise<PartialSpend>;
  /** Gives back what a spend took. A counter never goes below zero, and a window that has passed is left alone. */
  giveBack(clientId: string, resource: string, amount: number, windowEndsAtMs: number): Promise<void>;
  /**
   * Gives back units of a level once for each `giveBackId`, however often it is called: for owners that repeat what a crash may have left
   * undone. The id is remembered for a week.
   * @returns false when Redis does not know the level, and nothing was done: `restoreLevel` it, then try again
   */
  giveBackOnce(clientId: string, resource: string, amount: number, giveBackId: string): Promise<boolean>;
  /** Sets a level that Redis does not know to what its owner counted; a known one is left as it is. */
  restoreLevel(clientId: string, resource: string, used: number): Promise<void>;
  /** Units used now; 0 for what was never spent. */
  used(clientId: string, resource: string): Promise<number>;
};

/** Seconds after which a refused caller may try again: to the window's end, or a minute for a level, which only deletion lowers. */
export function retryAfterSeconds(windowEndsAtMs: number, nowMs: number): number {
  return windowEndsAtMs === 0 ? 60 : Math.max(1, Math.ceil((windowEndsAtMs - nowMs) / 1000));
}

const giveBackMarkMs = 7 * 86_400_000;

/** Quota counters on a Redis connection. */
export function createQuota(redis: Redis): Quota {
  redis.defineCommand("quotaSpend", { numberOfKeys: 1, lua: spendScript });
  redis.defineCommand("quotaSpendUpTo", { numberOfKeys: 1, lua: spendUpToScript });
  redis.defineCommand("quotaGiveBack", { numberOfKeys: 1, lua: giveBackScript });
  redis.defineCommand("quotaGiveBackOnce", { numberOfKeys: 2, lua: giveBackOnceScript });
  const scripts = redis as unknown as {
    quotaSpend(key: string, window: number, amount: number, limit: number): Promise<[number, number, number, number]>;
    quotaSpendUpTo(
      key: string,
      window: number,
      amount: number,
      limit: number,
    ): Promise<[number, number, number, number]>;
    quotaGiveBack(key: string, amount: number, endsAtMs: number): Promise<number>;
    quotaGiveBackOnce(key: string, markKey: string, amount: number, markMs: number): Promise<number>;
  };
  return {
    spend: async (clientId, resource, amount, limit) => {
      const window = windowArgument(quotaWindowOf(resource));
      const [state, used, endsAtMs, nowMs] = await scripts.quotaSpend(
        quotaKey(clientId, resource),
        window,
        amount,
        limit,
      );
      if (state === 1) return { isSpent: true, used, windowEndsAtMs: endsAtMs };
      if (state === -1) return { isSpent: false, reason: "level_unknown" };
      return { isSpent: false, reason: "exceeded", used, limit, retryAfterSeconds: retryAfterSeconds(endsAtMs, nowMs) };
    },
    spendUpTo: async (clientId, resource, amount, limit) => {
      const window = windowArgument(quotaWindowOf(resource));
      if (window === 0) throw new Error(`${resource} is a level: it is spent as a whole`);
      const key = quotaKey(clientId, resource);
      const [taken, , endsAtMs, nowMs] = await scripts.quotaSpendUpTo(key, window, amount, limit);
      return { taken, windowEndsAtMs: endsAtMs, retryAfterSeconds: retryAfterSeconds(endsAtMs, nowMs) };
    },
    giveBack: async (clientId, resource, amount, windowEndsAtMs) => {
      await scripts.quotaGiveBack(quotaKey(clientId, resource), amount, windowEndsAtMs);
    },
    giveBackOnce: async (clientId, resource, amount, giveBackId) => {
      const markKey = giveBackMarkKey(clientId, giveBackId);
      return (await scripts.quotaGiveBackOnce(quotaKey(clientId, resource), markKey, amount, giveBackMarkMs)) === 1;
    },
    restoreLevel: async (clientId, resource, used) => {
      await redis.set(quotaKey(clientId, resource), used, "NX");
    },
    used: async (clientId, resource) => Number((await redis.get(quotaKey(clientId, resource))) ?? 0),
  };
}
