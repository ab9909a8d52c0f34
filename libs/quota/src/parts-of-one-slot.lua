-- Precedes metering.lua and settlement.lua in a command that declares all its keys: those of each part in KEYS, its values in ARGV.
-- A part that fails returns {'failed', message}; others are not affected.
local call = redis.call

-- Called before a part's first change, with the keys that the part uses after it. Redis has checked the declared keys already.
local function check_keys() end
-- Called where a part begins to change keys. From there on it must not be sent again, because it may be half done.
local function has_changed() end

local function run_parts(run, keys, values)
  local replies = {}
  for part = 0, #KEYS / keys - 1 do
    local is_done, reply = pcall(run, KEYS, part * keys, ARGV, part * values)
    replies[part + 1] = is_done and reply or {'failed', type(reply) == 'table' and reply.err or tostring(reply)}
  end
  return replies
end
