/**
 * Everything Redis decides about one request, in one step: count the traffic, look at the Idempotency-Key, spend the resource, claim the
 * key. Nothing is spent when the key is known, and no key is claimed when the spend is refused. The text is put together for the kind of
 * request: what a script does not ask and is not given costs nothing, and there are few kinds.
 *
 * A counter is one key; its window is the key's expiry, set when the first unit of a window is taken, so that no clean-up is needed. Time
 * is Redis's own, and asked where it decides something: when a window begins and when a unit is refused. Otherwise it is only told, when the
 * caller wants to know (`isTimed`). The common case is one command: the units are taken, and put back when they were too many.
 *
 * KEYS: traffic counter, idempotency record, resource counter; ARGV: traffic limit, record of the claim, resource limit, amount; of both
 * only those the kind has. Answers {traffic used, now}, and behind it an outcome and its detail where it is not the ordinary one; now is 0
 * where it was not asked, and of an ordinary outcome the traffic used is then all that is said.
 */
export function admitLua({ isTimed, isMetered, claimMs, spend }: AdmissionKind): string {
  let keys = 0;
  let args = 0;
  const key = (): string => `KEYS[${++keys}]`;
  const arg = (): string => `ARGV[${++args}]`;
  const parts = [isTimed ? `${beginning}\n${askTime}` : beginning];
  if (isMetered) parts.push(trafficPart(key(), arg()));
  const claim = claimMs === null ? null : { key: key(), record: arg(), ms: claimMs };
  if (claim !== null) parts.push(claimPart(claim));
  if (spend !== null) {
    const { window, isOne } = spend;
    const spending = { key: key(), limit: arg(), amount: isOne ? "'1'" : arg(), window };
    const giveUp = claim === null ? "" : `if not known then call('DEL', ${claim.key}) end`;
    parts.push(window === 0 ? levelPart(spending, giveUp) : windowPart(spending, giveUp));
  }
  if (claim !== null) parts.push(reclaimPart(claim));
  return `${parts.join("\n")}\nreturn ${isTimed ? "{used, now}" : "used"}\n`;
}

/** What is asked for a request, without its figures. */
export type AdmissionKind = {
  /** Is Redis's time to be told in any case? */
  readonly isTimed: boolean;
  readonly isMetered: boolean;
  /** Life of the claim in ms; null without one. */
  readonly claimMs: number | null;
  /** See `windowArgument`; `isOne`: a single unit is spent. */
  readonly spend: { readonly window: number; readonly isOne: boolean } | null;
};

/** The outcomes that are said. */
export const admitted = { afterUnclear: 1 } as const;
export const refused = { traffic: 2, keyKnown: 3, resource: 4, levelUnknown: 5 } as const;

/** Traffic is counted by the minute. */
export const trafficWindowMs = 60_000;

/** When a window that is open at `nowMs` ends, in epoch ms, as the scripts reckon it; 0 for a level. Minus a moment stands for that moment. */
export function windowEnd(window: number, nowMs: number): number {
  return window > 0 ? (Math.floor(nowMs / window) + 1) * window : -window;
}

/** The same in Lua. */
function windowEndLua(window: number): string {
  return window > 0 ? `(math.floor(now / ${window}) + 1) * ${window}` : `${-window}`;
}

const beginning = `
local call = redis.call
local time
local now = 0
local used = 0`;

const askTime = `
  time = call('TIME')
  now = time[1] * 1000 + math.floor(time[2] / 1000)`;

function trafficPart(key: string, limit: string): string {
  return `
used = call('INCR', ${key})
if used == 1 then${askTime}
  call('PEXPIREAT', ${key}, ${windowEndLua(trafficWindowMs)})
end
if used > tonumber(${limit}) then${askTime}
  return {call('DECR', ${key}), now, ${refused.traffic}}
end`;
}

type Claim = { readonly key: string; readonly record: string; readonly ms: number };

/** A record that says that nobody knows the outcome may be claimed anew; it stays as it is until the spend is granted. */
function claimPart({ key, record, ms }: Claim): string {
  return `
local known = call('SET', ${key}, ${record}, 'NX', 'GET', 'PX', '${ms}')
if known and string.byte(known) ~= ${"O".charCodeAt(0)} then return {used, now, ${refused.keyKnown}, known} end`;
}

function reclaimPart({ key, record, ms }: Claim): string {
  return `
if known then
  call('SET', ${key}, ${record}, 'PX', '${ms}')
  return {used, now, ${admitted.afterUnclear}}
end`;
}

type Spending = { readonly key: string; readonly limit: string; readonly amount: string; readonly window: number };

function windowPart({ key, amount, limit, window }: Spending, giveUp: string): string {
  return `
local spent = call('INCRBY', ${key}, ${amount})
if spent == tonumber(${amount}) then${askTime}
  call('PEXPIREAT', ${key}, ${windowEndLua(window)})
end
if spent > tonumber(${limit}) then${askTime}
  ${giveUp}
  return {used, now, ${refused.resource}, call('DECRBY', ${key}, ${amount})}
end`;
}

function levelPart({ key, amount, limit }: Spending, giveUp: string): string {
  return `
local level = tonumber(call('GET', ${key}) or nil)
if not level then
  ${giveUp}
  return {used, now, ${refused.levelUnknown}}
end
if level + ${amount} > tonumber(${limit}) then
  ${giveUp}
  return {used, now, ${refused.resource}, level}
end
call('INCRBY', ${key}, ${amount})`;
}

/**
 * Keeps the outcomes of claims. KEYS: idempotency records. ARGV: their life in ms; then for each the record of the claim and the record
 * to leave. One that is no longer this request's own is left alone.
 */
export const keepLua = `
local call = redis.call
for i, key in ipairs(KEYS) do
  if call('GET', key) == ARGV[i * 2] then call('SET', key, ARGV[i * 2 + 1], 'PX', ARGV[1]) end
end
return 0
`;

/**
 * Ends a claim. KEYS: idempotency record, resource counter. ARGV: the record of the claim, the record to leave ('' for none), its life in
 * ms, units to give back, end of the window they were taken in, forget the counter (0|1), only if the claim is held (0|1). The record is only
 * touched while the claim is still this request's own.
 */
export const settleLua = `
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
