-- Gives units back once, however often it is sent.
--
-- KEYS: counter, mark. ARGV: amount; end of the window they were taken in (0 for a gauge); how long the mark is kept, in ms.
-- A window that has passed is left alone: its units are gone with it. A counter never goes below zero.
-- Answers 0 when the counter is unknown: then nothing is released or marked, because a gauge counted at its owner still holds these units.
local call = redis.call
local counter, mark = KEYS[1], KEYS[2]
local amount, ends = tonumber(ARGV[1]), tonumber(ARGV[2])
if call('EXISTS', mark) == 1 then return 1 end
local used = tonumber(call('GET', counter) or nil)
if not used then return 0 end
call('SET', mark, '1', 'PX', ARGV[3])
if ends == 0 or call('PEXPIRETIME', counter) == ends then call('DECRBY', counter, math.min(amount, used)) end
return 1
