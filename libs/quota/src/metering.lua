-- Meters requests. For each request, one atomic step counts the traffic, looks up the Idempotency-Key, spends the resource and claims the key.
-- If the key is known, nothing is spent. If the spend is rejected, no key is claimed. Services use this script too, to spend without a key.
--
-- Keys, four for each request: traffic counter, idempotency record, resource counter, claims on the gauge. All contain the client's hash tag, so
-- they are in one slot. If a request does not need one of the keys, another of its keys is passed instead.
-- Values, nine for each request: traffic limit ('' to count no traffic), fingerprint ('' to claim no key), id of the claim, lease of the claim (ms),
-- how long paid units are kept for the key (ms), window ('' to spend nothing, 0 for a gauge, > 0 for its length in ms, < 0 for minus its end in
-- epoch ms), amount, limit, '1' to take as many units as fit. A spend with '1' has no Idempotency-Key. Its record is a mark that is kept for as long
-- as paid units would be. If the command is sent again, the script recognizes the spend by this mark.
-- Returns {outcome, now, traffic used, ...} for each request, followed by values that depend on the outcome: admitted: units taken, end of their
-- window; resource_exceeded: units used, end of the window; key_known: the record.
--
-- A counter is one key. It expires at the end of its window, which is set when the first unit of the window is taken. The script uses Redis's clock.
--
-- A record consists of a letter for the state, the fingerprint (64 characters), and text that depends on the state:
--   R running, U unclear: "lease end:window end:units:again:claim id". The units belong to the key, so a claim that takes over the record has them.
--     `again` is 1 if an earlier attempt has spent them.
--   D done, S kept by the service: see the gateway's redis/idempotency-record.ts.
local time = call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)

local function window_end(length)
  if length > 0 then return (math.floor(now / length) + 1) * length end
  return -length
end

local function meter(keys, key, values, value)
  local traffic_counter, record, counter, claims = keys[key + 1], keys[key + 2], keys[key + 3], keys[key + 4]
  local traffic_limit, fingerprint, claim_id = values[value + 1], values[value + 2], values[value + 3]
  local lease_ms, keep_ms, window = tonumber(values[value + 4]), tonumber(values[value + 5]), tonumber(values[value + 6])
  local amount, limit, takes_what_fits = tonumber(values[value + 7]), tonumber(values[value + 8]), values[value + 9] == '1'

  if claims == counter then check_keys(record, counter) else check_keys(record, counter, claims) end
  local traffic = 0
  if traffic_limit ~= '' then traffic = call('INCR', traffic_counter) end
  has_changed()
  if traffic == 1 then call('PEXPIREAT', traffic_counter, window_end(60000)) end
  if traffic_limit ~= '' and traffic > tonumber(traffic_limit) then
    return {'traffic_exceeded', now, call('DECR', traffic_counter)}
  end

  if takes_what_fits then
    -- If the connection broke and the command was sent again, the mark contains the units that it has already taken.
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
    -- The key is claimed before the units are spent. Most keys are new, so this usually saves a command.
    local known = claim('NX', 'GET')
    is_new = not known
    if known then
      local state = string.sub(known, 1, 1)
      local known_lease_ends, known_ends, known_units, id = string.match(known, '^(%d+):(%d+):(%d+):%d:(.*)$', 66)
      if not id or (state ~= 'R' and state ~= 'U') then return {'key_known', now, traffic, known} end
      -- If the connection broke and the command was sent again, it finds its own claim.
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
    -- Nobody releases the units of a claim that was never settled. The gauge therefore expires once these units are no longer kept for their key,
    -- after which its owner counts it again.
    if call('ZREMRANGEBYSCORE', claims, '-inf', now) > 0 and call('PEXPIRETIME', counter) < now + keep_ms then
      call('PEXPIREAT', counter, now + keep_ms)
    end
    call('ZADD', claims, lease_ends, claim_id)
  end
  return {'admitted', now, traffic, units, ends}
end

return run_parts(meter, 4, 9)
