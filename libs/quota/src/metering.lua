-- Meters requests, each in one step: counts the traffic, looks at the Idempotency-Key, spends the resource and claims the key. Nothing is spent
-- when the key is known, and no key is claimed when the spend is refused. Services use it too, to spend without a key.
--
-- KEYS, four for each request: traffic counter, idempotency record, resource counter, claims on the gauge. All carry the client's hash tag, so
-- they lie in one slot; a part that is not asked for has another part's key in its place.
-- ARGV, nine for each request: traffic limit ('' counts none), fingerprint ('' claims no key), id of the claim, lease of the claim (ms), how long
-- paid units are kept for the key (ms), window ('' spends nothing; 0 a gauge; > 0 its length in ms; < 0 minus its end in epoch ms), amount, limit,
-- '1' to take as many units as fit. Such a spend has no Idempotency-Key: its record is a mark by which the script recognizes the spend when the command
-- is sent again, kept for as long as paid units would be.
-- Answers for each request {outcome, now, traffic used, ...}; behind it, by outcome: admitted: units taken, end of their window;
-- resource_exceeded: used, end of the window; key_known: the record. A request that fails answers {'failed', message} and does not disturb others.
--
-- A counter is one key; its window is the key's expiry, set when the first unit of a window is taken. Time is Redis's own.
--
-- Records: a letter for the state, the fingerprint (64 characters), and the rest by state.
--   R running, U unclear: "lease end:window end:units:again:claim id". The units belong to the key: whoever takes over the record has them.
--     `again` is 1 when they were spent by an earlier try.
--   D done, S kept by the service: see the gateway's redis/metering.ts.
local call = redis.call
local time = call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)

local function window_end(length)
  if length > 0 then return (math.floor(now / length) + 1) * length end
  return -length
end

local function meter(key, arg)
  local traffic_counter, record, counter, claims = KEYS[key + 1], KEYS[key + 2], KEYS[key + 3], KEYS[key + 4]
  local traffic_limit, fingerprint, claim_id = ARGV[arg + 1], ARGV[arg + 2], ARGV[arg + 3]
  local lease_ms, keep_ms, window = tonumber(ARGV[arg + 4]), tonumber(ARGV[arg + 5]), tonumber(ARGV[arg + 6])
  local amount, limit, takes_what_fits = tonumber(ARGV[arg + 7]), tonumber(ARGV[arg + 8]), ARGV[arg + 9] == '1'

  local traffic = 0
  if traffic_limit ~= '' then
    traffic = call('INCR', traffic_counter)
    if traffic == 1 then call('PEXPIREAT', traffic_counter, window_end(60000)) end
    if traffic > tonumber(traffic_limit) then return {'traffic_exceeded', now, call('DECR', traffic_counter)} end
  end

  if takes_what_fits then
    -- A command that was sent again, because its connection broke, finds what it took.
    local taken, taken_ends = string.match(call('GET', record) or '', '^(%d+):(%d+)$')
    if taken then return {'admitted', now, traffic, tonumber(taken), tonumber(taken_ends)} end
  end

  local units, ends, again = 0, 0, '0'
  if window then units = amount end
  if window and window ~= 0 then ends = window_end(window) end

  local lease_ends = now + lease_ms
  local function claim(...)
    local expires = lease_ends
    if units > 0 then expires = math.max(expires, ends, now + keep_ms) end
    local text = 'R' .. fingerprint .. lease_ends .. ':' .. ends .. ':' .. units .. ':' .. again .. ':' .. claim_id
    return call('SET', record, text, 'PXAT', expires, ...)
  end

  local is_new, is_paid = false, false
  if fingerprint ~= '' then
    -- Most keys are new: they are claimed before the units are spent, which saves a command.
    local known = claim('NX', 'GET')
    is_new = not known
    if known then
      local state = string.sub(known, 1, 1)
      local known_lease_ends, known_ends, known_units, id = string.match(known, '^(%d+):(%d+):(%d+):%d:(.*)$', 66)
      if not id or (state ~= 'R' and state ~= 'U') then return {'key_known', now, traffic, known} end
      -- A command that was sent again, because its connection broke, finds its own claim.
      if id == claim_id then return {'admitted', now, traffic, tonumber(known_units), tonumber(known_ends)} end
      local is_held = state == 'R' and tonumber(known_lease_ends) > now
      if is_held or string.sub(known, 2, 65) ~= fingerprint then return {'key_known', now, traffic, known} end
      is_paid = known_units ~= '0'
      if is_paid then units, ends, again = tonumber(known_units), tonumber(known_ends), '1' end
    end
  end

  if window == 0 and not is_paid then
    local used = tonumber(call('GET', counter) or nil)
    if not used or used + amount > limit then
      if is_new then call('DEL', record) end
      if not used then return {'gauge_unknown', now, traffic} end
      return {'resource_exceeded', now, traffic, used, 0}
    end
    call('INCRBY', counter, amount)
  elseif window and not is_paid then
    local used = call('INCRBY', counter, amount)
    if used == amount then call('PEXPIREAT', counter, ends) end
    local over = math.min(amount, math.max(0, used - limit))
    if over > 0 and not takes_what_fits then over = amount end
    if over > 0 then used = call('DECRBY', counter, over) end
    units = amount - over
    if units == 0 then
      if is_new then call('DEL', record) end
      return {'resource_exceeded', now, traffic, used, ends}
    end
  end

  if takes_what_fits then call('SET', record, units .. ':' .. ends, 'PX', keep_ms) end
  if fingerprint ~= '' and not is_new then claim() end
  if fingerprint ~= '' and window == 0 then
    -- A claim that was never settled leaves units that nobody releases: the gauge is counted again at its owner once they are not kept any more.
    if call('ZREMRANGEBYSCORE', claims, '-inf', now) > 0 and call('PEXPIRETIME', counter) < now + keep_ms then
      call('PEXPIREAT', counter, now + keep_ms)
    end
    call('ZADD', claims, lease_ends, claim_id)
  end
  return {'admitted', now, traffic, units, ends}
end

local replies = {}
for request = 0, #KEYS / 4 - 1 do
  local is_done, reply = pcall(meter, request * 4, request * 9)
  replies[request + 1] = is_done and reply or {'failed', type(reply) == 'table' and reply.err or tostring(reply)}
end
return replies
