-- Releases units once, even if the command is sent several times.
--
-- KEYS: counter, mark. ARGV: amount; end of the window in which the units were taken (0 for a gauge); how long the mark is kept, in ms.
-- If the window has passed, nothing changes, because its units ended with it. A counter never goes below zero.
-- Returns 0 if the counter is unknown. Nothing is released or marked then, because the owner of the gauge still includes these units when it counts.
local call = redis.call
local counter, mark = KEYS[1], KEYS[2]
local amount, ends = tonumber(ARGV[1]), tonumber(ARGV[2])
if call('EXISTS', mark) == 1 then return 1 end
local used = tonumber(call('GET', counter) or nil)
if not used then return 0 end
call('SET', mark, '1', 'PX', ARGV[3])
if ends == 0 or call('PEXPIRETIME', counter) == ends then call('DECRBY', counter, math.min(amount, used)) end
return 1
