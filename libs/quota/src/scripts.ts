import { readFileSync } from "node:fs";
import type { RedisConnection } from "./connect-redis.ts";

const load = (name: string): string => readFileSync(new URL(name, import.meta.url), "utf8");

const scripts = {
  quotaAdmit: { numberOfKeys: 4, lua: load("./admission.lua") },
  quotaSettle: { lua: load("./settlement.lua") },
  quotaRelease: { numberOfKeys: 2, lua: load("./release.lua") },
} as const;

/** Answer of admission.lua. */
export type AdmitReply =
  | readonly [outcome: "admitted", nowMs: number, traffic: number, units: number, windowEndsAtMs: number]
  | readonly [outcome: "resource_exceeded", nowMs: number, traffic: number, used: number, windowEndsAtMs: number]
  | readonly [outcome: "key_known", nowMs: number, traffic: number, record: string]
  | readonly [outcome: "traffic_exceeded" | "gauge_unknown", nowMs: number, traffic: number];

/** How a claim ends; see settlement.lua. */
export type ClaimOutcome = "keep" | "replayed" | "release" | "unclear";

/** The scripts as commands of a connection. Each .lua file documents its keys and arguments. */
export type QuotaScripts = {
  quotaAdmit(
    ...keysAndArguments: [
      trafficKey: string,
      recordKey: string,
      counterKey: string,
      claimsKey: string,
      trafficLimit: number | "",
      fingerprint: string,
      claimId: string,
      leaseMs: number,
      keepMs: number,
      window: number | "",
      amount: number,
      limit: number,
      takesWhatFits: "1" | "",
    ]
  ): Promise<AdmitReply>;
  /** Of each claim three keys, then of each claim four arguments. */
  quotaSettle(keyCount: number, ...keysAndArguments: (string | number)[]): Promise<number>;
  quotaRelease(
    counterKey: string,
    markKey: string,
    amount: number,
    windowEndsAtMs: number,
    markMs: number,
  ): Promise<0 | 1>;
};

/** Defines the scripts as commands of a connection. ioredis sends a script's digest, and its text when Redis does not know it. */
export function defineQuotaScripts(redis: RedisConnection): QuotaScripts {
  for (const [name, script] of Object.entries(scripts)) redis.defineCommand(name, script);
  return redis as unknown as QuotaScripts;
}
