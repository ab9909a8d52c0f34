#!lua flags=allow-cross-slot-keys
-- Precedes metering.lua and settlement.lua in a command to a node of a Cluster, whose parts have keys in several slots. A command may declare keys of
-- one slot only, so it declares none: ARGV contains, for each part, its keys and then its values.
-- A part that fails before its first change returns {'elsewhere', message}: its slot has moved, or is moving and the node lacks one of its keys. A part
-- that fails later returns {'failed', message}. Other parts are not affected.
local call = redis.call
local state

-- Called before a part's first change, with the keys that the part uses after it. Fails if the node does not have all of them.
local function check_keys(...) call('EXISTS', ...) end
-- Called where a part begins to change keys. From there on it must not be sent again, because it may be half done.
local function has_changed() state = 'failed' end

local function run_parts(run, keys, values)
  local replies = {}
  for part = 0, #ARGV / (keys + values) - 1 do
    local first = part * (keys + values)
    state = 'elsewhere'
    local is_done, reply = pcall(run, ARGV, first, ARGV, first + keys)
    replies[part + 1] = is_done and reply or {state, type(reply) == 'table' and reply.err or tostring(reply)}
  end
  return replies
end
