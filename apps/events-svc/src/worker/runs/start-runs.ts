import { createTurns } from "@platform/kit/jobs/pacing";
import { startJobLoop } from "@platform/kit/jobs/work";
import { createCoalescer } from "@platform/kit/process/coalescer";
import type { Keyring } from "@platform/kit/process/secrets";
import type { Logger, Metrics } from "@platform/kit/process/telemetry";
import { createOutboundDispatcher, outboundPolicyOf } from "@platform/kit/web/outbound";
import type { FailureWatch, PlatformFacts } from "@platform/operator-plane/platform-events";
import type { UsageReporter } from "@platform/operator-plane/usage";
import type { Quota } from "@platform/quota/quota";
import { Counter } from "@prometheus-io/client";
import type { CallPacer } from "../../domain/call-pace.ts";
import { findCallable } from "../../store/callable-operations.ts";
import { eventsByIds } from "../../store/event-bodies.ts";
import { type Lane, releaseLanes } from "../../store/lanes.ts";
import { createRunQueue } from "../../store/run-queue.ts";
import { resumeIfActive, type SubscriptionModels, subscriptionStatuses } from "../../store/subscriptions.ts";
import { CallAbandoned, type OpenCalls } from "./call-target.ts";
import {
  type CallLimits,
  type ClaimedCall,
  callLimits,
  callsMaxOf,
  createCallPermits,
  createRunClaimer,
} from "./claim-runs.ts";
import type { ClientLimits } from "./client-limits.ts";
import { executeRun } from "./execute-run.ts";
import { createEventLender } from "./load-events.ts";
import { createRunMeter, meteredResource } from "./meter-runs.ts";

type RunsOptions = {
  readonly models: SubscriptionModels;
  readonly quota: Quota;
  readonly pacer: CallPacer;
  readonly usage: Pick<UsageReporter, "count">;
  readonly limitsOf: (clientId: string) => Promise<ClientLimits>;
  readonly keyring: Keyring;
  readonly facts: Pick<PlatformFacts, "of" | "notice">;
  readonly failures: Pick<FailureWatch, "note">;
  readonly outboundAllow: readonly string[];
  readonly clock: () => Date;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly limits?: CallLimits;
};

const pollMs = 20;
/**
 * Poll interval in milliseconds. No notification is sent for retries, nor for runs that another worker recorded but
 * did not claim.
 */
const idlePollMs = 100;
/** Minimum interval between two claims, in milliseconds. Each claims up to four hundred runs. */
const claimEveryMs = 20;
/** How long calls in flight may take when the worker stops, in milliseconds. */
const graceMs = 15_000;

/** The job that executes runs. */
export type Runs = {
  /** Tells the job that new runs are due. */
  notify(): void;
  stop(): Promise<void>;
};

/**
 * Starts the job that executes due runs: those of schedules, of invocations, and those that deliver the events of
 * subscriptions.
 */
export function startRuns(options: RunsOptions): Runs {
  const { keyring, clock, logger } = options;
  const models = options.models.schedule;
  const limits = options.limits ?? callLimits;
  const openCalls: OpenCalls = new Set();
  const queue = createRunQueue(models, clock);
  const turns = createTurns(callsMaxOf(limits));
  const claim = createRunClaimer(queue, createCallPermits(limits, turns.aheadOf), {
    findCallable: (ids) => findCallable(models, keyring, ids),
    statusesOf: (ids) => subscriptionStatuses(options.models.subscriptions, ids),
    isFull: options.pacer.isFull,
  });
  const dispatcher = (environment: string) =>
    createOutboundDispatcher({
      ...outboundPolicyOf(environment, options.outboundAllow),
      // A client may have this many calls, and all of its operations may be on one host, so a host gets as many
      // connections.
      connectionsPerOrigin: limits.perClient,
    });
  const dispatchers = { local: dispatcher("development"), remote: dispatcher("production") };
  const results = new Counter({
    name: "platform_events_scheduled_runs_total",
    help: "Runs of scheduled operations taken up, by what came of it.",
    labelNames: ["result"],
    registers: [options.metrics.registry],
  });
  const tools = {
    ...options,
    dispatcherOf: (environment: string) =>
      outboundPolicyOf(environment, []).allowLoopback ? dispatchers.local : dispatchers.remote,
    meter: createRunMeter(options.quota, options.limitsOf, (clientId, amount) =>
      options.usage.count(clientId, meteredResource, amount),
    ),
    settle: queue.settle,
    turns,
    lendEvent: createEventLender((ids) => eventsByIds(options.models.event, ids), limits.eventBytes),
    releaseLane: createCoalescer<Lane>(
      async (lanes) => {
        if ((await releaseLanes(models, lanes, clock())) > 0) loop.notify();
        return {};
      },
      { itemsMax: 200, callsMax: 4 },
    ),
    onReleased: () => loop.notify(),
    resumeIfActive: createCoalescer<string>(
      async (ids) => {
        if (await resumeIfActive(options.models, [...new Set(ids)], clock())) loop.notify();
        return {};
      },
      { itemsMax: 400, callsMax: 1 },
    ),
    openCalls,
    observe: (result: string) => results.inc({ result }),
  };
  const loop = startJobLoop<ClaimedCall>({
    name: "make-run",
    logger,
    concurrency: limits.total,
    pollMs,
    idlePollMs,
    claimEveryMs,
    claim,
    queueAge: {
      gauge: options.metrics.jobQueueAge,
      dueAtOf: ({ run }) => (run.document.tries_made === 0 ? run.document.scheduled_for : null),
    },
    traceparentOf: ({ run }) => run.document.traceparent,
    work: (call) =>
      // The permits protect the target, which has responded by then. While an outcome is written, the run counts only as
      // one of the loop's concurrent runs.
      executeRun(tools, call, call.release).finally(() => {
        queue.leave(call.run);
        call.release();
      }),
  });
  return {
    notify: () => loop.notify(),
    stop: async () => {
      const force = setTimeout(() => {
        for (const cutOff of openCalls) cutOff(new CallAbandoned("the worker stops"));
      }, graceMs);
      await loop.stop(graceMs);
      clearTimeout(force);
      await Promise.all([dispatchers.local.close(), dispatchers.remote.close()]);
    },
  };
}
