import { setTimeout as delay } from "node:timers/promises";
import { type RepeatedJob, repeat } from "@platform/kit/jobs/pacing";
import type { Sweep } from "@platform/kit/jobs/work";
import type { Logger } from "@platform/kit/process/telemetry";
import { Counter, Gauge, type Registry } from "@prometheus-io/client";

/** The clients whose records a sweep removes: one client, or all except some. */
export type RetentionScope =
  | { readonly clientId: string; readonly exceptClientIds: null }
  | { readonly clientId: null; readonly exceptClientIds: readonly string[] };

/** Removes records of one kind. */
export type RetentionSweep = {
  readonly kind: string;
  /**
   * Removes at most `limit` records of a scope that are older than `before`. @returns the number of removed records;
   * fewer than `limit` if none is left
   */
  removeBatch(scope: RetentionScope, before: Date, limit: number): Promise<number>;
};

type Settings = {
  readonly defaults: Readonly<Record<string, number | null>>;
  settingsOf(kind: string): Promise<readonly { readonly clientId: string; readonly days: number }[]>;
};

/**
 * Number of records in one batch. A larger batch costs less per record, and the server lets other commands run in
 * between.
 */
const batchSize = 2_000;
/** Longest pause between two batches in milliseconds, during which concurrent requests are served first. */
const pauseMsMax = 20;
const dayMs = 86_400_000;

/**
 * Removes records whose retention has ended, in batches, every `everyMs`. An interrupted batch is repeated. Two workers
 * that run at the same time do the same work twice, which does no harm, unless they share a sweep.
 */
export function startRetention(
  settings: Settings,
  sweeps: readonly RetentionSweep[],
  options: {
    readonly everyMs: number;
    readonly clock: () => Date;
    readonly logger: Logger;
    readonly registry: Registry;
    /** Postpones the records of a client and kind if they cannot be removed, and continues with the others. */
    readonly sweep: Sweep;
  },
): RepeatedJob {
  const removed = new Counter({
    name: "platform_retention_removed_total",
    help: "Records removed because they were older than their retention.",
    labelNames: ["kind"],
    registers: [options.registry],
  });
  const finishedAt = new Gauge({
    name: "platform_retention_finished_timestamp_seconds",
    help: "When everything older than its retention was last removed.",
    labelNames: ["kind"],
    registers: [options.registry],
  });

  const sweepScope = async (sweep: RetentionSweep, scope: RetentionScope, days: number, signal: AbortSignal) => {
    const before = new Date(options.clock().getTime() - days * dayMs);
    while (!signal.aborted) {
      const beganMs = performance.now();
      const count = await sweep.removeBatch(scope, before, batchSize);
      removed.inc({ kind: sweep.kind }, count);
      if (count < batchSize) return;
      await delay(Math.min(pauseMsMax, performance.now() - beganMs));
    }
  };

  return repeat("retention", options.everyMs, options.logger, async (signal) => {
    const run = await options.sweep.begin(signal);
    for (const sweep of sweeps) {
      const own = await settings.settingsOf(sweep.kind);
      const days = settings.defaults[sweep.kind] ?? null;
      const others: RetentionScope = { clientId: null, exceptClientIds: own.map(({ clientId }) => clientId) };
      const scopes = own.map(({ clientId, days: ownDays }) => ({
        scope: { clientId, exceptClientIds: null } as RetentionScope,
        keptDays: ownDays,
      }));
      if (days !== null) scopes.push({ scope: others, keptDays: days });
      let isFinished = true;
      for (const { scope, keptDays } of scopes) {
        if (!run.goesOn()) return;
        const item = `${sweep.kind} ${scope.clientId ?? "-"}`;
        const isDone = await run.attempt(item, () => sweepScope(sweep, scope, keptDays, signal));
        isFinished &&= isDone;
      }
      if (isFinished && !signal.aborted) finishedAt.set({ kind: sweep.kind }, options.clock().getTime() / 1000);
    }
    await run.end();
  });
}

/** Returns the condition on the client's id for a scope. */
export function clientCondition({ clientId, exceptClientIds }: RetentionScope): Record<string, unknown> {
  if (clientId !== null) return { project_client_id: clientId };
  return exceptClientIds.length === 0 ? {} : { project_client_id: { $nin: [...exceptClientIds] } };
}
