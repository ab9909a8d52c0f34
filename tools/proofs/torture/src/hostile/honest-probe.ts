import { randomUUID } from "node:crypto";
import { createLatencies } from "@platform/bench/load/sample";
import { Agent, request } from "undici";

/** The honest caller's results in one kind of phase. Times are in milliseconds since a request was due. */
export type ProbeResult = {
  readonly count: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
  /** Responses other than 2xx, and failures, by kind. */
  readonly failures: Readonly<Record<string, number>>;
};

export type HonestProbe = {
  /**
   * Sets the phase to which the requests that are due from now on belong.
   * @returns the results since the previous call, which show whether a phase becomes slower each time it returns
   */
  enter(phase: string): ProbeResult;
  results(): ReadonlyMap<string, ProbeResult>;
  stop(): Promise<void>;
};

/** Half of the requests publish an event, the other half read the Project Client. */
const perSecond = 40;

/**
 * Sends the requests of an honest project at a steady pace. Each is sent when it is due, even if others still wait, so
 * that a stall affects every request that was due during it.
 */
export function startHonestProbe(gatewayUrl: string, credential: string): HonestProbe {
  const agent = new Agent({ connections: 64, headersTimeout: 20_000, bodyTimeout: 20_000 });
  const collect = () => ({ latencies: createLatencies(), failures: {} as Record<string, number> });
  const resultOf = ({ latencies, failures }: ReturnType<typeof collect>): ProbeResult => {
    const { count, p50Ms, p99Ms, maxMs } = latencies.sample(1_000, failures);
    return { count, p50Ms, p99Ms, maxMs, failures };
  };
  const phases = new Map<string, ReturnType<typeof collect>>();
  let phase = "start";
  let stretch = collect();
  const open = new Set<Promise<void>>();
  const send = async (index: number, dueAtMs: number): Promise<void> => {
    const at = phases.getOrInsertComputed(phase, collect);
    const during = stretch;
    const authorization = `Bearer ${credential}`;
    const isRead = index % 2 === 0;
    const outcome = await request(`${gatewayUrl}/api/v1/${isRead ? "project-client" : "domain-events"}`, {
      dispatcher: agent,
      method: isRead ? "GET" : "POST",
      headers: isRead
        ? { authorization }
        : { authorization, "content-type": "application/json", "idempotency-key": randomUUID() },
      body: isRead ? null : '{"type":"honest.event","schema_version":1,"data":{}}',
    })
      .then(async ({ statusCode, body }) => {
        await body.dump();
        return statusCode;
      })
      .catch((error: { code?: string }) => error.code ?? "broken");
    const tookMs = performance.now() - dueAtMs;
    for (const { latencies, failures } of [at, during]) {
      latencies.add(tookMs);
      if (outcome !== 200) failures[outcome] = (failures[outcome] ?? 0) + 1;
    }
  };
  const startedAtMs = performance.now();
  let sent = 0;
  const timer = setInterval(() => {
    for (;;) {
      const dueAtMs = startedAtMs + (sent * 1_000) / perSecond;
      if (dueAtMs > performance.now()) return;
      const sending = send(sent, dueAtMs);
      open.add(sending);
      void sending.finally(() => open.delete(sending));
      sent += 1;
    }
  }, 2);
  return {
    enter: (name) => {
      const ended = stretch;
      phase = name;
      stretch = collect();
      return resultOf(ended);
    },
    results: () => new Map([...phases].map(([name, collected]) => [name, resultOf(collected)])),
    stop: async () => {
      clearInterval(timer);
      await Promise.all(open);
      await agent.destroy();
    },
  };
}
