import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { HealthDay as KeptDay } from "@platform/proto/identity/v1/health_history";
import { z } from "zod";

const states = ["ok", "degraded", "down"] as const;
export type ComponentState = (typeof states)[number];

/** Number of minutes of one day in each state. */
export type HealthDay = Readonly<Record<ComponentState, number>>;

/** A component with its latest state and the minutes of each day, the oldest day first. */
export type ComponentHistory = {
  readonly name: string;
  readonly state: ComponentState | "unknown";
  readonly days: readonly { readonly day: string; readonly minutes: HealthDay }[];
};

export type HealthHistory = ReturnType<typeof createHealthHistory>;

/** HealthHistoryService of identity-svc, which keeps the history. */
export type HealthKeeper = {
  readonly record: (
    minutes: readonly { readonly at: ReturnType<typeof timestampFromDate>; readonly states: Record<string, string> }[],
  ) => Promise<unknown>;
  readonly list: () => Promise<readonly KeptDay[]>;
};

/** The wall clock, which names minutes and days, and a clock that never jumps, which measures waits. */
export type Clocks = { readonly wallMs: () => number; readonly steadyMs: () => number };

// Minutes and days of the history are times of the wall clock.
const systemClocks: Clocks = { wallMs: Date.now, steadyMs: () => performance.now() };

const dayMs = 86_400_000;
const minuteMs = 60_000;
const daysShown = 90;
/**
 * The days of the status page are reused for this many milliseconds. Anyone may open the page, so they must not be read
 * for each visitor.
 */
const keptMs = 10_000;
/** The current state of the components is reused for this many milliseconds, for the same reason. */
const presentMs = 5_000;
/** Maximum number of minutes that wait while identity-svc is unavailable: one day. */
const waitingMax = 1_440;

const answerSchema = z.object({
  data: z.object({
    components: z.array(z.object({ name: z.string().regex(/^[a-z][a-z0-9-]{0,40}$/), status: z.enum(states) })).max(50),
  }),
});
const noMinutes: HealthDay = { ok: 0, degraded: 0, down: 0 };

/**
 * Queries the gateway's /health each minute for the state of each component, and stores it in identity-svc. A minute
 * counts once, regardless of the number of consoles. While identity-svc is unavailable, minutes wait in this process,
 * and the page shows the days that were read last.
 */
export function createHealthHistory(
  keeper: HealthKeeper,
  gatewayUrl: string,
  onReadFailed: (error: unknown) => void,
  clocks: Clocks = systemClocks,
) {
  let asked: { readonly states: Promise<ReadonlyMap<string, ComponentState>>; readonly untilMs: number } | null = null;
  let waiting: { readonly atMs: number; readonly states: ReadonlyMap<string, ComponentState> }[] = [];
  let known: { readonly days: Promise<readonly KeptDay[]>; readonly untilMs: number } | null = null;
  let lastRead: readonly KeptDay[] = [];

  const ask = async (): Promise<ReadonlyMap<string, ComponentState>> => {
    try {
      const response = await fetch(`${gatewayUrl}/api/v1/health`, { signal: AbortSignal.timeout(3_000) });
      const { components } = answerSchema.parse(await response.json()).data;
      return new Map([["gateway", "ok" as const], ...components.map(({ name, status }) => [name, status] as const)]);
    } catch {
      return new Map([["gateway", "down"]]);
    }
  };
  const askAnew = (): Promise<ReadonlyMap<string, ComponentState>> => {
    asked = { states: ask(), untilMs: clocks.steadyMs() + presentMs };
    return asked.states;
  };
  const present = () => (asked === null || asked.untilMs <= clocks.steadyMs() ? askAnew() : asked.states);
  const readDays = async (): Promise<readonly KeptDay[]> => {
    try {
      lastRead = await keeper.list();
    } catch (error) {
      onReadFailed(error);
    }
    return lastRead;
  };
  const keptDays = (): Promise<readonly KeptDay[]> => {
    const nowMs = clocks.steadyMs();
    if (known === null || known.untilMs <= nowMs) known = { days: readDays(), untilMs: nowMs + keptMs };
    return known.days;
  };
  return {
    /** Queries the current state, and stores the minute together with those that wait. */
    sample: async (): Promise<void> => {
      const states = await askAnew();
      waiting = [...waiting, { atMs: Math.floor(clocks.wallMs() / minuteMs) * minuteMs, states }].slice(-waitingMax);
      const sent = waiting;
      await keeper.record(
        sent.map((minute) => ({
          at: timestampFromDate(new Date(minute.atMs)),
          states: Object.fromEntries(minute.states),
        })),
      );
      waiting = waiting.filter((minute) => !sent.includes(minute));
    },
    /** Returns the last 90 days of every component. */
    read: async (): Promise<ComponentHistory[]> => {
      const [kept, latest] = await Promise.all([keptDays(), present()]);
      const byDay = new Map(kept.map(({ day, components }) => [day, components]));
      const days = Array.from({ length: daysShown }, (_, index) =>
        new Date(clocks.wallMs() - (daysShown - 1 - index) * dayMs).toISOString().slice(0, 10),
      );
      const names = new Set([...latest.keys(), ...[...byDay.values()].flat().map(({ name }) => name)]);
      return [...names].map((name) => ({
        name,
        state: latest.get(name) ?? "unknown",
        days: days.map((day) => {
          const { ok, degraded, down } = byDay.get(day)?.find((component) => component.name === name) ?? noMinutes;
          return { day, minutes: { ok, degraded, down } };
        }),
      }));
    },
    /** Returns the health of the components, which was checked now or within the last five seconds. */
    present,
  };
}
