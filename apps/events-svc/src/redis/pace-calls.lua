-- Reserves the next call of an operation with a limit of calls in a second. Calls are spaced evenly, by the server's own clock.
-- KEYS[1]  when the call after the last reserved one may be made, in microseconds
-- ARGV     microseconds between two calls, how far ahead a call may be reserved
-- Returns  1 and how long the caller must wait for its call, or 0 and how far away the next free call is, in microseconds
local clock = redis.call('TIME')
local now = clock[1] * 1000000 + clock[2]
local interval, ahead = tonumber(ARGV[1]), tonumber(ARGV[2])
local at = tonumber(redis.call('GET', KEYS[1]) or '0')
-- Nothing is reserved further ahead than that, unless the clock has stepped back or the limit was raised.
if at < now or at > now + ahead + interval then at = now end
if at - now > ahead then return { 0, at - now } end
redis.call('SET', KEYS[1], string.format('%.0f', at + interval), 'PX', math.ceil((at + interval - now) / 1000) + 1000)
return { 1, at - now }
