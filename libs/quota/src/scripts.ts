import { readFileSync } from "node:fs";
import { Cluster, type Redis } from "ioredis";
import { clusterCalls, slotOf } from "./cluster-calls.ts";
import { type RedisConnection, reconnectIfDemoted } from "./connect-redis.ts";
import { type Batch, type BatchedScript, callsOf, type Part, type ScriptCall, settleCall } from "./script-call.ts";

const load = (name: string): string => readFileSync(new URL(name, import.meta.url), "utf8");

const scripts = {
  quotaMeter: { lua: load("./metering.lua") },
  quotaSettle: { lua: load("./settlement.lua") },
  quotaRelease: { numberOfKeys: 2, lua: load("./release.lua") },
} as const;

/** Reply of metering.lua for one request. */
export type MeterReply =
  | readonly [outcome: "admitted", nowMs: number, traffic: number, units: number, windowEndsAtMs: number]
  | readonly [outcome: "resource_exceeded", nowMs: number, traffic: number, used: number, windowEndsAtMs: number]
  | readonly [outcome: "key_known", nowMs: number, traffic: number, record: string]
  | readonly [outcome: "traffic_exceeded" | "gauge_unknown", nowMs: number, traffic: number];

/** How a claim ends; see settlement.lua. */
export type ClaimOutcome = "keep" | "replayed" | "release" | "unclear";

/** The scripts on a connection. Each .lua file documents its keys and arguments. */
type QuotaScripts = {
  /**
   * Meters a request. Calls of `meter` and of `settle` in one event-loop tick share one command each, and one write. In
   * a Cluster, calls for one slot share a command, and commands for one node share a write.
   */
  meter(
    keys: readonly [traffic: string, record: string, counter: string, claims: string],
    values: readonly [
      trafficLimit: number | "",
      fingerprint: string,
      claimId: string,
      leaseMs: number,
      keepMs: number,
      window: number | "",
      amount: number,
      limit: number,
      takesWhatFits: "1" | "",
    ],
  ): Promise<MeterReply>;
  settle(
    keys: readonly [record: string, counter: string, claims: string],
    values: readonly [claimId: string, outcome: ClaimOutcome, record: string, recordMs: number],
  ): Promise<unknown>;
  release(
    keys: readonly [counter: string, mark: string],
    values: readonly [amount: number, windowEndsAtMs: number, markMs: number],
  ): Promise<0 | 1>;
};

/**
 * Defines the scripts on a connection. ioredis sends a script's digest, and its text if Redis does not know the digest.
 */
export function defineQuotaScripts(redis: RedisConnection): QuotaScripts {
  for (const [name, script] of Object.entries(scripts)) redis.defineCommand(name, script);
  const { quotaRelease } = redis as unknown as { quotaRelease(...all: (string | number)[]): Promise<0 | 1> };
  // In a Cluster, all keys of a command must be in one slot. Without a Cluster, there is one batch for all.
  const slotOfPart = redis instanceof Cluster ? ({ keys }: Part) => slotOf(keys[0] ?? "") : () => 0;
  const sendCalls =
    redis instanceof Cluster
      ? clusterCalls(redis, { quotaSettle: scripts.quotaSettle.lua, quotaMeter: scripts.quotaMeter.lua })
      : (calls: readonly ScriptCall[]) => void sendTogether(redis, calls);
  let batches = new Map<number, Batch>();

  const add = (script: BatchedScript, part: Part): void => {
    const slot = slotOfPart(part);
    let batch = batches.get(slot);
    if (batch === undefined) {
      batch = { quotaSettle: [], quotaMeter: [] };
      batches.set(slot, batch);
      if (batches.size === 1) setImmediate(sendAll);
    }
    batch[script].push(part);
  };
  const sendAll = (): void => {
    const all = batches;
    // The Map is replaced instead of cleared. V8 links the table of a Map's former entries to that of its next ones,
    // which would retain every request until a full collection.
    batches = new Map();
    sendCalls([...all].flatMap(([slot, batch]) => callsOf(slot, batch)));
  };
  return {
    meter: (keys, values) => new Promise((resolve, reject) => add("quotaMeter", { keys, values, resolve, reject })),
    settle: (keys, values) => new Promise((resolve, reject) => add("quotaSettle", { keys, values, resolve, reject })),
    release: (keys, values) => quotaRelease.call(redis, ...keys, ...values),
  };
}

async function sendTogether(redis: Redis, calls: readonly ScriptCall[]): Promise<void> {
  const results = await redis
    .pipeline(calls.map(({ script, args }) => [script, ...args]))
    .exec()
    .catch((error: Error) => calls.map((): [Error, unknown] => [error, null]));
  for (const [index, call] of calls.entries()) {
    const [error, replies] = results?.[index] ?? [null, null];
    settleCall(call, error, replies, (message) => reconnectIfDemoted(redis, message));
  }
}
