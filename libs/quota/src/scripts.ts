import { readFileSync } from "node:fs";
import { Cluster } from "ioredis";
import { type RedisConnection, reconnectIfDemoted } from "./connect-redis.ts";

const load = (name: string): string => readFileSync(new URL(name, import.meta.url), "utf8");

const scripts = {
  quotaMeter: { lua: load("./metering.lua") },
  quotaSettle: { lua: load("./settlement.lua") },
  quotaRelease: { numberOfKeys: 2, lua: load("./release.lua") },
} as const;

/** Answer of metering.lua to one request. */
export type MeterReply =
  | readonly [outcome: "admitted", nowMs: number, traffic: number, units: number, windowEndsAtMs: number]
  | readonly [outcome: "resource_exceeded", nowMs: number, traffic: number, used: number, windowEndsAtMs: number]
  | readonly [outcome: "key_known", nowMs: number, traffic: number, record: string]
  | readonly [outcome: "traffic_exceeded" | "gauge_unknown", nowMs: number, traffic: number];

/** How a claim ends; see settlement.lua. */
export type ClaimOutcome = "keep" | "replayed" | "release" | "unclear";

/** The scripts on a connection. Each .lua file documents its keys and arguments. */
type QuotaScripts = {
  /** Calls of `meter` and of `settle` in one event-loop tick share a command each, and one write. */
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

/** What one request adds to a command. */
type Part = {
  readonly keys: readonly string[];
  readonly values: readonly (string | number)[];
  readonly resolve: (reply: never) => void;
  readonly reject: (error: unknown) => void;
};

/** What is sent together: settlements first, so that the units they release can be spent. */
type Batch = { readonly quotaSettle: Part[]; readonly quotaMeter: Part[] };

/** Most parts of one command: Redis does nothing else meanwhile. */
const partsMax = 64;

/** Defines the scripts on a connection. ioredis sends a script's digest, and its text when Redis does not know it. */
export function defineQuotaScripts(redis: RedisConnection): QuotaScripts {
  for (const [name, script] of Object.entries(scripts)) redis.defineCommand(name, script);
  const { quotaRelease } = redis as unknown as { quotaRelease(...all: (string | number)[]): Promise<0 | 1> };
  // All keys of a command lie in one slot of a Cluster; elsewhere there is one batch for everybody.
  const slotOf = redis instanceof Cluster ? (key: string) => key.slice(0, key.indexOf("}")) : () => "";
  let batches = new Map<string, Batch>();

  const add = (script: keyof Batch, part: Part): void => {
    const slot = slotOf(part.keys[0] ?? "");
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
    // Not cleared: V8 links what a Map held to what it holds next, which would keep every request until a full collection.
    batches = new Map();
    for (const batch of all.values()) void send(redis, batch);
  };
  return {
    meter: (keys, values) => new Promise((resolve, reject) => add("quotaMeter", { keys, values, resolve, reject })),
    settle: (keys, values) => new Promise((resolve, reject) => add("quotaSettle", { keys, values, resolve, reject })),
    release: (keys, values) => quotaRelease.call(redis, ...keys, ...values),
  };
}

async function send(redis: RedisConnection, { quotaSettle, quotaMeter }: Batch): Promise<void> {
  const commands = [...commandsOf("quotaSettle", quotaSettle), ...commandsOf("quotaMeter", quotaMeter)];
  const results = await redis
    .pipeline(commands.map(({ command }) => command))
    .exec()
    .catch((error: Error) => commands.map((): [Error, unknown] => [error, null]));
  for (const [index, { parts }] of commands.entries()) {
    const [error, replies] = results?.[index] ?? [null, null];
    for (const [at, { resolve, reject }] of parts.entries()) {
      if (!Array.isArray(replies)) {
        reject(error ?? new Error("Redis gave no answer"));
        continue;
      }
      const reply: unknown = replies[at];
      if (Array.isArray(reply) && reply[0] === "failed") {
        reconnectIfDemoted(redis, `${reply[1]}`);
        reject(new Error(`Redis: ${reply[1]}`));
      } else resolve(reply as never);
    }
  }
}

function commandsOf(script: keyof Batch, all: readonly Part[]) {
  const commands: { readonly command: (string | number)[]; readonly parts: readonly Part[] }[] = [];
  for (let from = 0; from < all.length; from += partsMax) {
    const parts = all.length <= partsMax ? all : all.slice(from, from + partsMax);
    const command: (string | number)[] = [script, 0];
    for (const { keys } of parts) command.push(...keys);
    command[1] = command.length - 2;
    for (const { values } of parts) command.push(...values);
    commands.push({ command, parts });
  }
  return commands;
}
