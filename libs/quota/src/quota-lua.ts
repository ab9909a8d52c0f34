/**
 * The counters. A counter is one key; its window is the key's expiry, set when the first unit of a window is taken, so that no clean-up is
 * needed. Time is Redis's own. The common case is one command: the units are taken, and put back when they were too many. The gateway's
 * admission takes the same steps within its own script (apps/gateway/src/redis/admission-lua.ts).
 */

/**
 * Takes units of one counter. KEYS: counter. ARGV: window, amount, limit. Answers {state, used, window end (epoch ms), now}; the state is
 * 1 for taken, 0 for refused (nothing taken), -1 for a level that Redis does not know.
 */
export const spendScript = `
local time = redis.call('TIME')
local now_ms = time[1] * 1000 + math.floor(time[2] / 1000)
local key, window, amount, limit = KEYS[1], tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
if window == 0 then
  local level = tonumber(redis.call('GET', key) or nil)
  if not level then return {-1, 0, 0, now_ms} end
  if level + amount > limit then return {0, level, 0, now_ms} end
  return {1, redis.call('INCRBY', key, amount), 0, now_ms}
end
local ends = -window
if window > 0 then ends = (math.floor(now_ms / window) + 1) * window end
local used = redis.call('INCRBY', key, amount)
if used == amount then redis.call('PEXPIREAT', key, ends) end
if used > limit then return {0, redis.call('DECRBY', key, amount), ends, now_ms} end
return {1, used, ends, now_ms}
`;

/**
 * Takes as many of `amount` units as still fit under the limit, by one command for work that is done many at a time. KEYS: counter of a
 * window (not a level). ARGV: window, amount, limit. Answers {taken, used, window end, now}.
 */
export const spendUpToScript = `
local time = redis.call('TIME')
local now_ms = time[1] * 1000 + math.floor(time[2] / 1000)
local window, amount, limit = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local ends = -window
if window > 0 then ends = (math.floor(now_ms / window) + 1) * window end
local used = redis.call('INCRBY', KEYS[1], amount)
if used == amount then redis.call('PEXPIREAT', KEYS[1], ends) end
local over = math.min(amount, math.max(0, used - limit))
if over > 0 then used = redis.call('DECRBY', KEYS[1], over) end
return {amount - over, used, ends, now_ms}
`;

/**
 * Gives units back. KEYS: counter. ARGV: amount, end of the window they were taken in (0 for a level). A window that has passed is left
 * alone: its units are gone with it. A counter never goes below zero.
 */
export const giveBackScript = `
local current = redis.call('GET', KEYS[1])
if not current then return 0 end
local ends = tonumber(ARGV[2])
if ends > 0 and redis.call('PEXPIRETIME', KEYS[1]) ~= ends then return 0 end
local taken = math.min(tonumber(ARGV[1]), tonumber(current))
redis.call('DECRBY', KEYS[1], taken)
return taken
`;

/**
 * Gives units of a level back once. KEYS: counter, mark. ARGV: amount, milliseconds the mark is kept. The mark is set in the same step,
 * so a give-back that is repeated because its maker did not see the answer changes nothing. Answers 0 when the level is unknown: then
 * nothing is given back or marked, for a level counted at its owner still holds these units.
 */
export const giveBackOnceScript = `
if redis.call('EXISTS', KEYS[2]) == 1 then return 1 end
local current = redis.call('GET', KEYS[1])
if not current then return 0 end
redis.call('SET', KEYS[2], '1', 'PX', tonumber(ARGV[2]))
redis.call('DECRBY', KEYS[1], math.min(tonumber(ARGV[1]), tonumber(current)))
return 1
`;
