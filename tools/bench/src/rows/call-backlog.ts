import { randomBytes, randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { ScheduledOperationAdminService } from "@platform/proto/events/v1/events_admin";
import { connectGrpc } from "@platform/service-kit/grpc/connect";
import { createLatencies, type LoadSample, runClosedLoop } from "../load/sample.ts";
import type { Platform } from "../platform.ts";
import { post } from "./file-objects.ts";

/** How late calls arrived, as the sink saw it. */
export type Lateness = { count: number; p50Ms: number; p95Ms: number; p99Ms: number; maxMs: number };

/** Calls the sink took, and how many ids they had. */
export type Arrived = { calls: number; distinct: number };

export const worker = "events-svc-worker";

/** Longest wait for what was started to arrive. */
const arrivalMs = 300_000;

/** Registers as many operations as endpoints, all on the sink. */
export async function registerOperations(platform: Platform, base: string, endpoints: number): Promise<string[]> {
  const secret = `whsec_${randomBytes(32).toString("base64")}`;
  const ids: string[] = [];
  for (let at = 0; at < endpoints; at += 20) {
    const batch = Array.from({ length: Math.min(20, endpoints - at) }, (_, index) =>
      post<{ id: string }>(platform, "/scheduled-operations", {
        name: `bench.call${at + index}`,
        url: `${base}/hook/${at + index}`,
        secret,
      }),
    );
    ids.push(...(await Promise.all(batch)).map(({ id }) => id));
  }
  return ids;
}

/** Starts runs of operations as an operator does, one after another in turn. */
export function connectInvoker({ stack }: Platform, operations: readonly string[]) {
  const connection = connectGrpc({
    address: stack.settings.EVENTS_GRPC ?? "",
    tls: null,
    metadata: { authorization: `Bearer ${stack.settings.OPERATOR_TOKEN}` },
  });
  const admin = connection.service(ScheduledOperationAdminService);
  const context = { correlationId: randomUUID(), operation: "bench", projectClient: null, idempotency: null };
  return {
    invoke: (index: number) =>
      admin.invokeScheduledOperation({ operationId: operations[index % operations.length] ?? "" }, { context }),
    close: () => connection.close(),
  };
}

/** Fills a backlog while the workers are paused, then lets them go and waits until every call has arrived. */
export async function drainBacklog(
  platform: Platform,
  options: { operations: readonly string[]; base: string; calls: number; workers: readonly string[] },
): Promise<LoadSample> {
  const { base, calls, workers } = options;
  const invoker = connectInvoker(platform, options.operations);
  const before = await arrivedAt(base);
  for (const name of workers) await platform.stack.kill(name, "SIGSTOP");
  let startedAtMs = 0;
  try {
    const filled = await runClosedLoop({ concurrency: 64, durationMs: 600_000, limit: calls, once: invoker.invoke });
    if (Object.keys(filled.refusals).length > 0) throw new Error(JSON.stringify(filled.refusals));
  } finally {
    startedAtMs = performance.now();
    for (const name of workers) await platform.stack.kill(name, "SIGCONT");
    invoker.close();
  }
  await untilArrived(base, before.distinct + calls);
  return rateOf(calls, performance.now() - startedAtMs);
}

/** Starts runs at a steady rate, whether or not those before have arrived, and answers how late they came. */
export async function callAtRate(
  platform: Platform,
  options: { operations: readonly string[]; base: string; perSecond: number; durationMs: number },
): Promise<{ sample: LoadSample; lateness: Lateness }> {
  const { base, perSecond, durationMs } = options;
  const invoker = connectInvoker(platform, options.operations);
  const before = await arrivedAt(base);
  await takeLateness(base);
  const calls = Math.max(1, Math.round((perSecond * durationMs) / 1_000));
  const startedAtMs = performance.now();
  const invoked: Promise<unknown>[] = [];
  while (invoked.length < calls) {
    const due = Math.min(calls, Math.floor(((performance.now() - startedAtMs) * perSecond) / 1_000));
    while (invoked.length < due) invoked.push(invoker.invoke(invoked.length));
    await delay(1);
  }
  await Promise.all(invoked);
  await untilArrived(base, before.distinct + calls);
  invoker.close();
  const lateness = await takeLateness(base);
  const { p50Ms, p99Ms, maxMs } = lateness;
  return { sample: { ...rateOf(calls, performance.now() - startedAtMs), p50Ms, p99Ms, maxMs }, lateness };
}

export async function arrivedAt(base: string): Promise<Arrived> {
  return (await (await fetch(`${base}/count`)).json()) as Arrived;
}

async function takeLateness(base: string): Promise<Lateness> {
  return (await (await fetch(`${base}/lateness`, { method: "DELETE" })).json()) as Lateness;
}

async function untilArrived(base: string, distinct: number): Promise<void> {
  for (const untilMs = performance.now() + arrivalMs; ; await delay(20)) {
    const arrived = await arrivedAt(base);
    if (arrived.distinct >= distinct) return;
    if (performance.now() > untilMs) throw new Error(`${distinct - arrived.distinct} of the calls did not arrive`);
  }
}

/** A sample of work that is only counted as a whole. */
export function rateOf(count: number, durationMs: number): LoadSample {
  const latencies = createLatencies();
  latencies.add(durationMs);
  return { ...latencies.sample(durationMs, {}), count, perSecond: count / (durationMs / 1_000) };
}
