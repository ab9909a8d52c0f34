import { randomUUID } from "node:crypto";
import type { RedisConnection } from "./connect-redis.ts";
import {
  gaugeClaimsKey,
  quotaKey,
  quotaWindowOf,
  releaseMarkKey,
  spendMarkKey,
  windowArgument,
} from "./quota-windows.ts";
import { defineQuotaScripts } from "./scripts.ts";

/** Result of a spend. */
export type PartialSpend = {
  /** Number of units that were spent, from none to all that were requested. */
  readonly taken: number;
  /** End of the window in epoch milliseconds; pass it to `release`. */
  readonly windowEndsAtMs: number;
  /** Seconds until units become available again. */
  readonly retryAfterSeconds: number;
};

/** Counters of hard quotas. A spend checks and charges in one atomic step in Redis, and uses the clock of Redis. */
export type Quota = {
  /**
   * Spends as many of `amount` units of a window as fit under `limit`. The units are spent once, even if the command is
   * resent on another connection. Throws for a gauge.
   */
  spendUpTo(clientId: string, resource: string, amount: number, limit: number): Promise<PartialSpend>;
  /** Releases the units of a spend. A counter never goes below zero, and a past window is not changed. */
  release(clientId: string, resource: string, amount: number, windowEndsAtMs: number): Promise<void>;
  /**
   * Releases units of a gauge once per `releaseId`, so that owners can repeat the call after a crash. The id is
   * remembered for a week.
   * @returns false if Redis does not know the gauge, in which case nothing was done: call `restoreGauge`, then try
   * again
   */
  releaseOnce(clientId: string, resource: string, amount: number, releaseId: string): Promise<boolean>;
  /**
   * Sets a gauge that Redis does not know to the count of its owner; a known gauge is not changed. Nothing can be spent
   * from an unknown gauge, so if no claims are in progress, the count cannot change before it is set.
   * @returns false if claims on the gauge are in progress: try again shortly
   */
  restoreGauge(clientId: string, resource: string, count: () => Promise<number>): Promise<boolean>;
  /** Units in use; 0 if nothing was ever spent. */
  used(clientId: string, resource: string): Promise<number>;
  /** Units in use; null if Redis does not know the counter, because nothing was ever spent or Redis has lost it. */
  usedIfKnown(clientId: string, resource: string): Promise<number | null>;
};

/**
 * Returns the seconds after which a rejected caller may retry: until the end of the window, or a minute for a gauge.
 */
export function retryAfterSeconds(windowEndsAtMs: number, nowMs: number): number {
  return windowEndsAtMs === 0 ? 60 : Math.max(1, Math.ceil((windowEndsAtMs - nowMs) / 1000));
}

const compensationMarkMs = 7 * 86_400_000;

/**
 * How long the mark of a spend or release is kept, in milliseconds. It must be longer than the time during which ioredis
 * resends a command.
 */
const resendMarkMs = 60_000;

/** Creates the quota counters on a Redis connection. */
export function createQuota(redis: RedisConnection): Quota {
  const scripts = defineQuotaScripts(redis);
  return {
    spendUpTo: async (clientId, resource, amount, limit) => {
      const window = windowArgument(quotaWindowOf(resource));
      if (window === 0) throw new Error(`${resource} is a gauge: it is spent as a whole`);
      const key = quotaKey(clientId, resource);
      const reply = await scripts.meter(
        [key, spendMarkKey(clientId, randomUUID()), key, key],
        ["", "", "", 0, resendMarkMs, window, amount, limit, "1"],
      );
      const [outcome, nowMs, , figure, endsAtMs] = reply;
      if (endsAtMs === undefined) throw new Error(`the metering script answered ${outcome}`);
      return {
        taken: outcome === "admitted" ? Number(figure) : 0,
        windowEndsAtMs: endsAtMs,
        retryAfterSeconds: retryAfterSeconds(endsAtMs, nowMs),
      };
    },
    release: async (clientId, resource, amount, windowEndsAtMs) => {
      const markKey = releaseMarkKey(clientId, randomUUID());
      await scripts.release([quotaKey(clientId, resource), markKey], [amount, windowEndsAtMs, resendMarkMs]);
    },
    releaseOnce: async (clientId, resource, amount, releaseId) => {
      const markKey = releaseMarkKey(clientId, releaseId);
      return (await scripts.release([quotaKey(clientId, resource), markKey], [amount, 0, compensationMarkMs])) === 1;
    },
    restoreGauge: async (clientId, resource, count) => {
      const [seconds] = await redis.time();
      if ((await redis.zcount(gaugeClaimsKey(clientId, resource), Number(seconds) * 1_000, "+inf")) > 0) return false;
      await redis.set(quotaKey(clientId, resource), await count(), "NX");
      return true;
    },
    usedIfKnown: async (clientId, resource) => {
      const used = await redis.get(quotaKey(clientId, resource));
      return used === null ? null : Number(used);
    },
    used: async (clientId, resource) => Number((await redis.get(quotaKey(clientId, resource))) ?? 0),
  };
}
