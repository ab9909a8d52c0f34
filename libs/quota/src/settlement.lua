-- Ends claims that metering.lua made, each if it is still held: one that was taken over since is left alone, units and all.
--
-- KEYS, three for each claim: idempotency record, resource counter, claims on the gauge.
-- ARGV, four for each claim: its id; what becomes of it; the record to leave ('' for none) and its life in ms.
--   keep      the units stay spent: the operation was done
--   replayed  it had been done before: units that this attempt spent are released, those of an earlier one stay
--   release   nothing was done: the units are released
--   unclear   nobody knows: the units stay with the key for as long as its record would have lived
-- Answers for each claim 1 when it was held, 0 when not, or {'failed', message}.
local call = redis.call

local function settle(record, counter, claims, claim_id, outcome, left, left_ms)
  local known = call('GET', record)
  if not known or string.sub(known, 1, 1) ~= 'R' or string.sub(known, -#claim_id - 1) ~= ':' .. claim_id then return 0 end
  local ends, units, again = string.match(known, ':(%d+):(%d+):(%d):', 66)

  local is_gauge = ends == '0' and units ~= '0'
  if is_gauge then call('ZREM', claims, claim_id) end

  if outcome == 'unclear' and units ~= '0' then
    call('SET', record, string.format('U%s0:%s:%s:1:', string.sub(known, 2, 65), ends, units), 'KEEPTTL')
    -- A repeat that never comes must not hold a gauge's units for good: it is counted at its owner when the record ends.
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

local replies = {}
for claim = 0, #KEYS / 3 - 1 do
  local key, arg = claim * 3, claim * 4
  local is_done, reply = pcall(settle, KEYS[key + 1], KEYS[key + 2], KEYS[key + 3], ARGV[arg + 1], ARGV[arg + 2], ARGV[arg + 3], ARGV[arg + 4])
  replies[claim + 1] = is_done and reply or {'failed', type(reply) == 'table' and reply.err or tostring(reply)}
end
return replies
