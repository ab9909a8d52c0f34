import { readFileSync } from "node:fs";
import { Cluster, type Redis } from "ioredis";
import { clusterCalls } from "./cluster-calls.ts";
import { type RedisConnection, reconnectIfDemoted } from "./connect-redis.ts";
import {
  argumentsOfOneSlot,
  type Batch,
  type BatchedScript,
  callsOf,
  emptyBatch,
  type Part,
  settleCall,
} from "./script-call.ts";

const load = (name: string): string => readFileSync(new URL(name, import.meta.url), "utf8");
const [metering, settlement] = [load("./metering.lua"), load("./settlement.lua")];
const [ofOneSlot, ofOneNode] = [load("./parts-of-one-slot.lua"), load("./parts-of-one-node.lua")];

const scripts = {
  quotaMeter: { lua: ofOneSlot + metering },
  quotaSettle: { lua: ofOneSlot + settlement },
  quotaRelease: { numberOfKeys: 2, lua: load("./release.lua") },
} as const;
const scriptsForNodes = { quotaMeter: ofOneNode + metering, quotaSettle: ofOneNode + settlement } as const;

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
   * a Cluster, they do so for each node.
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
  const send =
    redis instanceof Cluster ? clusterCalls(redis, scriptsForNodes) : (batch: Batch) => void sendTogether(redis, batch);
  let batch = emptyBatch();

  const add = (script: BatchedScript, part: Part): void => {
    if (batch.quotaMeter.length + batch.quotaSettle.length === 0) setImmediate(sendAll);
    batch[script].push(part);
  };
  const sendAll = (): void => {
    const all = batch;
    batch = emptyBatch();
    send(all);
  };
  return {
    meter: (keys, values) => new Promise((resolve, reject) => add("quotaMeter", { keys, values, resolve, reject })),
    settle: (keys, values) => new Promise((resolve, reject) => add("quotaSettle", { keys, values, resolve, reject })),
    release: (keys, values) => quotaRelease.call(redis, ...keys, ...values),
  };
}

async function sendTogether(redis: Redis, batch: Batch): Promise<void> {
  const calls = callsOf(batch);
  const results = await redis
    .pipeline(calls.map(({ script, parts }) => [script, ...argumentsOfOneSlot(parts)]))
    .exec()
    .catch((error: Error) => calls.map((): [Error, unknown] => [error, null]));
  for (const [index, call] of calls.entries()) {
    const [error, replies] = results?.[index] ?? [null, null];
    settleCall(call, error, replies, (message) => reconnectIfDemoted(redis, message));
  }
}
