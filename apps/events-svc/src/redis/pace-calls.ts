import { readFileSync } from "node:fs";
import type { RedisConnection } from "@platform/quota/connect-redis";
import type { CallPacer } from "../domain/call-pace.ts";

/** Maximum time that a worker may wait with a reserved call, in milliseconds. */
const aheadMs = 1_000;

const lua = readFileSync(new URL("./pace-calls.lua", import.meta.url), "utf8");

/** Creates the pacer. It uses the clock of Redis, so the clocks of workers do not matter. */
export function createCallPacer(redis: RedisConnection): CallPacer {
  redis.defineCommand("paceCall", { numberOfKeys: 1, lua });
  const { paceCall } = redis as unknown as {
    paceCall(key: string, intervalUs: number, aheadUs: number): Promise<[reserved: 0 | 1, waitUs: number]>;
  };
  /** For each operation, the time until which no call can be reserved, by this process's monotonic clock. */
  const fullUntil = new Map<string, number>();
  return {
    reserve: async ({ clientId, operationId, perSecond }) => {
      const key = `{${clientId}}:calls:${operationId}`;
      const interval = Math.ceil(1_000_000 / perSecond);
      const [reserved, waitUs] = await paceCall.call(redis, key, interval, aheadMs * 1_000);
      if (reserved === 1) return { isReserved: true, waitMs: Math.ceil(waitUs / 1_000) };
      // From this time on, the next call can be reserved.
      const waitMs = Math.max(1, Math.ceil(waitUs / 1_000) - aheadMs);
      fullUntil.set(operationId, performance.now() + waitMs);
      return { isReserved: false, waitMs };
    },
    isFull: (operationId) => {
      const until = fullUntil.get(operationId);
      if (until === undefined) return false;
      if (performance.now() < until) return true;
      fullUntil.delete(operationId);
      return false;
    },
  };
}
