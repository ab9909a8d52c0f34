import type { RedisConnection } from "@platform/quota/connect-redis";
import { z } from "zod";

const states = ["ok", "degraded", "down"] as const;
export type ComponentState = (typeof states)[number];

/** Minutes of one day in each state. */
export type HealthDay = Readonly<Record<ComponentState, number>>;

/** A component with its latest state and each day's minutes, the oldest day first. */
export type ComponentHistory = {
  readonly name: string;
  readonly state: ComponentState | "unknown";
  readonly days: readonly { readonly day: string; readonly minutes: HealthDay }[];
};

export type HealthHistory = ReturnType<typeof createHealthHistory>;

const dayMs = 86_400_000;
const minuteMs = 60_000;
const daysKept = 90;

const answerSchema = z.object({
  data: z.object({
    components: z.array(z.object({ name: z.string().regex(/^[a-z][a-z0-9-]{0,40}$/), status: z.enum(states) })).max(50),
  }),
});

const keyOf = (ms: number): string => `console:health:${new Date(ms).toISOString().slice(0, 10)}`;

/**
 * Counts for each day how many minutes each component was well, from the gateway's /health. However many consoles run, a minute is counted once. Kept in
 * Redis for 90 days; losing it loses only what the status page shows of the past.
 */
export function createHealthHistory(redis: RedisConnection, gatewayUrl: string, now: () => number = Date.now) {
  let latest: ReadonlyMap<string, ComponentState> = new Map();
  const ask = async (): Promise<ReadonlyMap<string, ComponentState>> => {
    try {
      const response = await fetch(`${gatewayUrl}/api/v1/health`, { signal: AbortSignal.timeout(3_000) });
      const { components } = answerSchema.parse(await response.json()).data;
      return new Map([["gateway", "ok" as const], ...components.map(({ name, status }) => [name, status] as const)]);
    } catch {
      return new Map([["gateway", "down"]]);
    }
  };
  return {
    /** Asks for the present state, and counts the minute unless another console has. */
    sample: async (): Promise<void> => {
      latest = await ask();
      const atMs = now();
      const key = keyOf(atMs);
      const minute = `console:health-minute:${Math.floor(atMs / minuteMs)}`;
      if ((await redis.set(minute, "1", "PX", 2 * minuteMs, "NX")) === null) return;
      for (const [name, state] of latest) await redis.hincrby(key, `${name}:${state}`, 1);
      await redis.expire(key, (daysKept + 1) * 86_400);
    },
    /** The last 90 days of every component. */
    read: async (): Promise<ComponentHistory[]> => {
      const atMs = now();
      const times = Array.from({ length: daysKept }, (_, index) => atMs - (daysKept - 1 - index) * dayMs);
      const days = await Promise.all(times.map((ms) => redis.hgetall(keyOf(ms))));
      const names = [
        ...new Set([
          ...latest.keys(),
          ...days.flatMap((day) => Object.keys(day).map((field) => field.split(":")[0] ?? "")),
        ]),
      ];
      return names.map((name) => ({
        name,
        state: latest.get(name) ?? "unknown",
        days: days.map((day, index) => ({
          day: new Date(times[index] ?? 0).toISOString().slice(0, 10),
          minutes: Object.fromEntries(states.map((state) => [state, Number(day[`${name}:${state}`] ?? 0)])) as Record<
            ComponentState,
            number
          >,
        })),
      }));
    },
    /** The components as they were asked last. */
    latest: (): ReadonlyMap<string, ComponentState> => latest,
  };
}
