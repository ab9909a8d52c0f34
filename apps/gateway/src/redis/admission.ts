import { retryAfterSeconds } from "@platform/quota/quota";
import { spendLua } from "@platform/quota/quota-lua";
import type { Redis } from "ioredis";

/**
 * Everything Redis decides about one request, in one step: count the traffic, look at the Idempotency-Key, spend the resource, claim the
 * key. Nothing is spent when the key is known, and no key is claimed when the spend is refused.
 *
 * KEYS: traffic counter, idempotency record, resource counter (unused ones repeat another, so that all lie in one slot).
 * ARGV: traffic limit (-1: do not count), has a key (0|1), the record of the claim, its life in ms, has a spend (0|1), window, amount, limit.
 * Answers: traffic {state, used, window end}, now, key state (0 known, 1 claimed, 2 claimed after an unclear outcome), the known record,
 *          spend {state, used, window end}.
 */
const admitScript = `${spendLua}
local t_state, t_used, t_ends = 1, 0, 0
if tonumber(ARGV[1]) >= 0 then t_state, t_used, t_ends = spend(KEYS[1], 60000, 1, tonumber(ARGV[1])) end
if t_state ~= 1 then return {t_state, t_used, t_ends, now_ms, 0, '', 0, 0, 0} end
local k_state = 1
if ARGV[2] == '1' then
  local known = redis.call('SET', KEYS[2], ARGV[3], 'NX', 'GET', 'PX', ARGV[4])
  if known then
    if string.sub(known, 1, 1) ~= 'O' then return {t_state, t_used, t_ends, now_ms, 0, known, 0, 0, 0} end
    k_state = 2
  end
end
local s_state, s_used, s_ends = 1, 0, 0
if ARGV[5] == '1' then s_state, s_used, s_ends = spend(KEYS[3], tonumber(ARGV[6]), tonumber(ARGV[7]), tonumber(ARGV[8])) end
if ARGV[2] == '1' then
  if s_state ~= 1 and k_state == 1 then redis.call('DEL', KEYS[2]) end
  if s_state == 1 and k_state == 2 then redis.call('SET', KEYS[2], ARGV[3], 'PX', ARGV[4]) end
end
return {t_state, t_used, t_ends, now_ms, k_state, '', s_state, s_used, s_ends}
`;

/**
 * Ends a claim. KEYS: idempotency record, resource counter. ARGV: the record of the claim, the record to leave ('' for none), its life in
 * ms, units to give back, end of the window they were taken in, forget the counter (0|1), only if the claim is held (0|1). The record is only
 * touched while the claim is still this request's own.
 */
const settleScript = `
local is_held = ARGV[1] ~= '' and redis.call('GET', KEYS[1]) == ARGV[1]
if ARGV[7] == '1' and not is_held then return 0 end
if is_held then
  if ARGV[2] == '' then redis.call('DEL', KEYS[1]) else redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3]) end
end
if ARGV[6] == '1' then return redis.call('DEL', KEYS[2]) end
local amount = tonumber(ARGV[4])
if amount > 0 then
  local current = redis.call('GET', KEYS[2])
  local ends = tonumber(ARGV[5])
  if current and (ends <= 0 or redis.call('PEXPIRETIME', KEYS[2]) == ends) then
    redis.call('DECRBY', KEYS[2], math.min(amount, tonumber(current)))
  end
end
return 0
`;

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

export type AdmissionResult = {
  /** Figures for the RateLimit headers; null when traffic was not counted. */
  readonly traffic: { readonly remaining: number; readonly resetSeconds: number } | null;
  readonly outcome:
    | { readonly kind: "admitted"; readonly wasUnclear: boolean; readonly windowEndsAtMs: number }
    | { readonly kind: "traffic_exceeded"; readonly refusal: Refusal }
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

type Reply = [number, number, number, number, number, string, number, number, number];

/** The two scripts on a Redis connection: one command for each request, one more when a claim ends. */
export function createAdmission(redis: Redis): Admission {
  redis.defineCommand("admitRequest", { numberOfKeys: 3, lua: admitScript });
  redis.defineCommand("settleRequest", { numberOfKeys: 2, lua: settleScript });
  const scripts = redis as unknown as {
    admitRequest(...args: (string | number)[]): Promise<Reply>;
    settleRequest(...args: (string | number)[]): Promise<number>;
  };
  return {
    admit: async ({ traffic, idempotency, spend }) => {
      const anyKey = traffic?.key ?? idempotency?.key ?? spend?.key ?? "";
      const [tState, tUsed, tEnds, nowMs, kState, record, sState, sUsed, sEnds] = await scripts.admitRequest(
        traffic?.key ?? anyKey,
        idempotency?.key ?? anyKey,
        spend?.key ?? anyKey,
        traffic?.limit ?? -1,
        idempotency === null ? 0 : 1,
        idempotency?.claimRecord ?? "",
        idempotency?.claimMs ?? 0,
        spend === null ? 0 : 1,
        spend?.window ?? 0,
        spend?.amount ?? 0,
        spend?.limit ?? 0,
      );
      const resetSeconds = retryAfterSeconds(tEnds, nowMs);
      const trafficFigures = traffic === null ? null : { remaining: Math.max(0, traffic.limit - tUsed), resetSeconds };
      const outcome = (): AdmissionResult["outcome"] => {
        if (tState !== 1) {
          const limit = traffic?.limit ?? 0;
          return { kind: "traffic_exceeded", refusal: { used: tUsed, limit, retryAfterSeconds: resetSeconds } };
        }
        if (idempotency !== null && kState === 0) return { kind: "key_known", record };
        if (sState === -1) return { kind: "level_unknown" };
        if (sState === 0) {
          const refusal = { used: sUsed, limit: spend?.limit ?? 0, retryAfterSeconds: retryAfterSeconds(sEnds, nowMs) };
          return { kind: "resource_exceeded", refusal };
        }
        return { kind: "admitted", wasUnclear: kState === 2, windowEndsAtMs: sEnds };
      };
      return { traffic: trafficFigures, outcome: outcome() };
    },
    settle: async ({ idempotencyKey, claimRecord, record, recordMs, giveBack }) => {
      const key = idempotencyKey ?? giveBack?.key ?? "";
      await scripts.settleRequest(
        key,
        giveBack?.key ?? key,
        idempotencyKey === null ? "" : claimRecord,
        record ?? "",
        recordMs,
        giveBack?.amount ?? 0,
        giveBack?.windowEndsAtMs ?? 0,
        giveBack?.forget === true ? 1 : 0,
        0,
      );
    },
    undo: async ({ idempotency, spend }) => {
      if (idempotency === null) return;
      // A window's end is not known here: the units go back to the window that runs now, which is the one they were taken in but for a moment.
      const endsAtMs = spend === null || spend.window === 0 ? 0 : -1;
      await scripts.settleRequest(
        idempotency.key,
        spend?.key ?? idempotency.key,
        idempotency.claimRecord,
        "",
        0,
        spend?.amount ?? 0,
        endsAtMs,
        0,
        1,
      );
    },
  };
}
