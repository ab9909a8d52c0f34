-- Ends claims that metering.lua created. A claim that another request has taken over since is left unchanged, with its units.
--
-- Keys, three for each claim: idempotency record, resource counter, claims on the gauge.
-- Values, four for each claim: its id; its outcome; the record to store ('' for none) and how long to keep the record, in ms.
--   keep      the operation was done: the units remain spent
--   replayed  the operation had been done before: units that this attempt spent are released, those of an earlier attempt remain spent
--   release   nothing was done: the units are released
--   unclear   it is unknown whether the operation was done: the units remain with the key until its record expires
-- Returns 1 for each claim that was still held, 0 for any other.
local function settle(keys, key, values, value)
  local record, counter, claims = keys[key + 1], keys[key + 2], keys[key + 3]
  local claim_id, outcome, left, left_ms = values[value + 1], values[value + 2], values[value + 3], values[value + 4]
  local known = call('GET', record)
  if not known or string.sub(known, 1, 1) ~= 'R' or string.sub(known, -#claim_id - 1) ~= ':' .. claim_id then return 0 end
  local ends, units, again = string.match(known, ':(%d+):(%d+):(%d):', 66)

  local is_gauge = ends == '0' and units ~= '0'
  -- The outcome 'keep' changes only the record, which has just been read, unless the units are those of a gauge.
  if is_gauge or outcome ~= 'keep' then check_keys(record, counter, claims) end
  has_changed()
  if is_gauge then call('ZREM', claims, claim_id) end

  if outcome == 'unclear' and units ~= '0' then
    call('SET', record, string.format('U%s0:%s:%s:1:', string.sub(known, 2, 65), ends, units), 'KEEPTTL')
    -- The caller may never repeat the request, which would hold units of the gauge forever. The gauge therefore expires with the record, after which
    -- its owner counts it again.
    local expires = call('PEXPIRETIME', record)
    if is_gauge and call('PEXPIRETIME', counter) < expires and call('EXISTS', counter) == 1 then
      call('PEXPIREAT', counter, expires)
    end
    return 1
  end

  if outcome == 'release' or (outcome == 'replayed' and again == '0') then
    local used = tonumber(call('GET', counter) or nil)
    if used and units ~= '0' and (is_gauge or call('PEXPIRETIME', counter) == tonumber(ends)) then
      call('DECRBY', counter, math.min(tonumber(units), used))
    end
  end
  if left == '' then call('DEL', record) else call('SET', record, left, 'PX', left_ms) end
  return 1
end

return run_parts(settle, 3, 4)
