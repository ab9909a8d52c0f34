import { retryAfterSeconds } from "@platform/quota/quota";
import { createRedisScript, type RedisScript } from "@platform/quota/redis-script";
import type { Redis } from "ioredis";
import { admitLua, admitted, keepLua, refused, settleLua, trafficWindowMs, windowEnd } from "./admission-lua.ts";
import { createRedisClock, type RedisClock } from "./redis-clock.ts";

/** What to ask of Redis for one request; parts that do not apply are null. */
export type AdmissionRequest = {
  readonly traffic: { readonly key: string; readonly limit: number } | null;
  readonly idempotency: { readonly key: string; readonly claimRecord: string; readonly claimMs: number } | null;
  readonly spend: {
    readonly key: string;
    readonly window: number;
    readonly amount: number;
    readonly limit: number;
  } | null;
};

type Refusal = { readonly used: number; readonly limit: number; readonly retryAfterSeconds: number };

/** A refusal of traffic, and how long its window still lasted by Redis's own clock. */
export type TrafficRefusal = Refusal & { readonly windowLeftMs: number };

export type AdmissionResult = {
  /** Figures for the RateLimit headers; null when traffic was not counted. */
  readonly traffic: { readonly remaining: number; readonly resetSeconds: number } | null;
  readonly outcome:
    | { readonly kind: "admitted"; readonly wasUnclear: boolean; readonly windowEndsAtMs: number }
    | { readonly kind: "traffic_exceeded"; readonly refusal: TrafficRefusal }
    | { readonly kind: "key_known"; readonly record: string }
    | { readonly kind: "resource_exceeded"; readonly refusal: Refusal }
    | { readonly kind: "level_unknown" };
};

/** How a claim ends. */
export type Settlement = {
  readonly idempotencyKey: string | null;
  readonly claimRecord: string;
  /** The record to leave; null for none. */
  readonly record: string | null;
  readonly recordMs: number;
  readonly giveBack: {
    readonly key: string;
    readonly amount: number;
    readonly windowEndsAtMs: number;
    readonly forget: boolean;
  } | null;
};

export type Admission = {
  admit(request: AdmissionRequest): Promise<AdmissionResult>;
  settle(settlement: Settlement): Promise<void>;
  /** Takes back an admission whose answer never came: it may have been made. Its claim tells; without one nothing was spent but traffic. */
  undo(request: AdmissionRequest): Promise<void>;
};

/**
 * What an admission answers: traffic used, Redis's time in ms or 0 for not asked, and unless all was granted what became of it with its
 * figures. The first alone where the rest would say nothing.
 */
type Answer = number | Reply;
type Reply = readonly [used: number, nowMs: number, outcome?: number, detail?: number | string];

/** Settlements that only keep an outcome, of one client in one turn of the event loop: they leave as one command. */
type Batch = { readonly keys: string[]; readonly args: string[]; readonly done: Promise<void> };

/** Most settlements of one command: Redis does nothing else meanwhile. */
const batchMax = 64;

/**
 * The scripts on a Redis connection: one command for each request, and one when claims end.
 * @param clock Redis's, as far as it is known here: it is asked for the time only when it is not
 */
export function createAdmission(redis: Redis, clock: RedisClock = createRedisClock()): Admission {
  const admitScripts = new Map<string, RedisScript>();
  const settleScript = createRedisScript(redis, settleLua);
  const keepScript = createRedisScript(redis, keepLua);
  /** Those of this turn. A turn has a map of its own: see IdTable for what one map for all of them would keep alive. */
  let batches: Map<string, Batch> | null = null;

  const scriptFor = ({ traffic, idempotency, spend }: AdmissionRequest, isTimed: boolean): RedisScript => {
    const claimMs = idempotency?.claimMs ?? null;
    const isOne = spend?.amount === 1;
    const name = `${isTimed},${traffic !== null},${claimMs},${spend?.window},${isOne}`;
    let script = admitScripts.get(name);
    if (script === undefined) {
      const spending = spend && { window: spend.window, isOne };
      script = createRedisScript(redis, admitLua({ isTimed, isMetered: traffic !== null, claimMs, spend: spending }));
      admitScripts.set(name, script);
    }
    return script;
  };

  const batchesOfTurn = (): Map<string, Batch> => {
    if (batches !== null) return batches;
    // Ends before the first batch leaves: what comes after that must not be added to it.
    setImmediate(() => {
      batches = null;
    });
    batches = new Map();
    return batches;
  };

  /** Keys of one hash tag lie in one slot, so what they hold may be changed by one command. */
  const keep = (key: string, claimRecord: string, record: string, recordMs: number): Promise<void> => {
    const slot = `${key.slice(0, key.indexOf("}"))}:${recordMs}`;
    const ofTurn = batchesOfTurn();
    let batch = ofTurn.get(slot);
    if (batch === undefined || batch.keys.length === batchMax) {
      const keys: string[] = [];
      const args = [String(recordMs)];
      const done = new Promise<void>((resolve) => setImmediate(resolve)).then(async () => {
        await keepScript.call(keys, args);
      });
      batch = { keys, args, done };
      ofTurn.set(slot, batch);
    }
    batch.keys.push(key);
    batch.args.push(claimRecord, record);
    return batch.done;
  };

  return {
    admit: async (request) => {
      const { traffic, idempotency, spend } = request;
      const keys: string[] = [];
      const args: string[] = [];
      if (traffic !== null) {
        keys.push(traffic.key);
        args.push(String(traffic.limit));
      }
      if (idempotency !== null) {
        keys.push(idempotency.key);
        args.push(idempotency.claimRecord);
      }
      if (spend !== null) {
        keys.push(spend.key);
        args.push(String(spend.limit));
        if (spend.amount !== 1) args.push(String(spend.amount));
      }
      const knownMs = clock.read();
      const answer = (await scriptFor(request, knownMs === null).call(keys, args)) as Answer;
      const reply: Reply = typeof answer === "number" ? [answer, 0] : answer;
      if (reply[1] > 0) clock.hear(reply[1]);
      return admissionResult(request, reply, reply[1] || (knownMs ?? 0));
    },
    settle: async ({ idempotencyKey, claimRecord, record, recordMs, giveBack }) => {
      if (idempotencyKey !== null && record !== null && giveBack === null) {
        await keep(idempotencyKey, claimRecord, record, recordMs);
        return;
      }
      const key = idempotencyKey ?? giveBack?.key ?? "";
      await settleScript.call(
        [key, giveBack?.key ?? key],
        [
          idempotencyKey === null ? "" : claimRecord,
          record ?? "",
          String(recordMs),
          String(giveBack?.amount ?? 0),
          String(giveBack?.windowEndsAtMs ?? 0),
          giveBack?.forget === true ? "1" : "0",
          "0",
        ],
      );
    },
    undo: async ({ idempotency, spend }) => {
      if (idempotency === null) return;
      // A window's end is not known here: the units go back to the window that runs now, which is the one they were taken in but for a moment.
      const endsAtMs = spend === null || spend.window === 0 ? "0" : "-1";
      await settleScript.call(
        [idempotency.key, spend?.key ?? idempotency.key],
        [idempotency.claimRecord, "", "0", String(spend?.amount ?? 0), endsAtMs, "0", "1"],
      );
    },
  };
}

function admissionResult(
  { traffic, spend }: AdmissionRequest,
  [used, , outcome, detail]: Reply,
  nowMs: number,
): AdmissionResult {
  const trafficEndsAtMs = windowEnd(trafficWindowMs, nowMs);
  const resetSeconds = retryAfterSeconds(trafficEndsAtMs, nowMs);
  return {
    traffic: traffic === null ? null : { remaining: Math.max(0, traffic.limit - used), resetSeconds },
    outcome: outcomeOf(),
  };

  function outcomeOf(): AdmissionResult["outcome"] {
    const windowEndsAtMs = spend === null ? 0 : windowEnd(spend.window, nowMs);
    switch (outcome) {
      case undefined:
        return { kind: "admitted", wasUnclear: false, windowEndsAtMs };
      case admitted.afterUnclear:
        return { kind: "admitted", wasUnclear: true, windowEndsAtMs };
      case refused.traffic: {
        const refusal = { used, limit: traffic?.limit ?? 0, retryAfterSeconds: resetSeconds };
        return { kind: "traffic_exceeded", refusal: { ...refusal, windowLeftMs: trafficEndsAtMs - nowMs } };
      }
      case refused.keyKnown:
        return { kind: "key_known", record: String(detail) };
      case refused.resource: {
        const seconds = retryAfterSeconds(windowEndsAtMs, nowMs);
        const refusal = { used: Number(detail), limit: spend?.limit ?? 0, retryAfterSeconds: seconds };
        return { kind: "resource_exceeded", refusal };
      }
      case refused.levelUnknown:
        return { kind: "level_unknown" };
      default:
        throw new Error(`the admission script answered ${outcome}`);
    }
  }
}
