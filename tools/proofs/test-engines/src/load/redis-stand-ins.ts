import { startTestRedisPair } from "@platform/test-kit/redis-failover";
import { startTestRedisSentinel } from "@platform/test-kit/redis-sentinel";
import type { StandInKind } from "./stand-in.ts";

const pair = (name: string, how: "demote" | "loseMachine"): StandInKind => ({
  name,
  start: async () => {
    const servers = await startTestRedisPair();
    return { env: { REDIS_URL: servers.url }, misbehave: servers[how], close: servers.close };
  },
});

/** Redis as a managed service, a Kubernetes Service or Sentinel provides it. */
export const redisStandIns: readonly StandInKind[] = [
  pair("Redis behind one address, demoted", "demote"),
  pair("Redis behind one address, silent", "loseMachine"),
  {
    name: "Redis with Sentinel, primary frozen",
    start: async () => {
      const { sentinels, master, freezePrimary, close } = await startTestRedisSentinel();
      const env = { REDIS_URL: "redis://unused", REDIS_SENTINELS: sentinels, REDIS_MASTER: master };
      return { env, misbehave: freezePrimary, close };
    },
  },
];
