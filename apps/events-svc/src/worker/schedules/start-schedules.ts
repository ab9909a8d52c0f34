import type { Quota } from "@platform/quota/quota";
import { startJobLoop } from "@platform/service-kit/jobs/job-loop";
import { createOutboundDispatcher } from "@platform/service-kit/outbound/outbound-dispatcher";
import { outboundPolicyOf } from "@platform/service-kit/outbound/outbound-policy";
import type { Logger } from "@platform/service-kit/process/logger";
import type { Metrics } from "@platform/service-kit/process/metrics";
import type { Keyring } from "@platform/service-kit/secrets/sealed";
import { Counter } from "prom-client";
import { createRunSettler } from "../../store/claim-runs.ts";
import type { ScheduleModels } from "../../store/scheduled-operation-model.ts";
import { type ClaimedWork, createWorkClaimer } from "./claim-work.ts";
import type { ClientLimits } from "./client-limits.ts";
import { makeRun } from "./make-run.ts";
import { type CallLimits, callLimits, countCalls } from "./pick-runs.ts";
import { startDueRunRecorder } from "./record-due-runs.ts";

type SchedulesOptions = {
  readonly models: ScheduleModels;
  readonly quota: Quota;
  readonly limitsOf: (clientId: string) => Promise<ClientLimits>;
  readonly keyring: Keyring;
  readonly outboundAllow: readonly string[];
  readonly clock: () => Date;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly limits?: CallLimits;
};

const pollMs = 40;

/** Starts the two jobs of scheduled operations: due times become runs, and runs are made. */
export function startSchedules(options: SchedulesOptions): { stop(): Promise<void> } {
  const { models, keyring, clock, logger } = options;
  const limits = options.limits ?? callLimits;
  const calls = countCalls(limits);
  const claimer = createWorkClaimer(models, { keyring, calls, clock });
  const dispatcher = (environment: string) =>
    createOutboundDispatcher({
      ...outboundPolicyOf(environment, options.outboundAllow),
      // As many as one client may have: its operations may all be on one host.
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
    settle: createRunSettler(models),
    observe: (result: string) => results.inc({ result }),
  };
  const loop = startJobLoop<ClaimedWork>({
    name: "make-run",
    logger,
    concurrency: limits.total,
    pollMs,
    claim: (limit) => claimer.claim(limit),
    queueAge: {
      gauge: options.metrics.jobQueueAge,
      dueAtOf: ({ run }) => (run.tries_made === 0 ? run.scheduled_for : null),
    },
    work: async ({ run, callable }, stopping) => {
      try {
        await makeRun(tools, callable, run, stopping);
      } finally {
        calls.giveBack({ id: run._id, clientId: run.project_client_id, operationId: run.operation_id });
        if (claimer.hasMore()) loop.nudge();
      }
    },
  });
  const recorder = startDueRunRecorder(models, { logger, clock, onRecorded: () => loop.nudge() });
  return {
    stop: async () => {
      await recorder.stop();
      await loop.stop();
      await Promise.all([dispatchers.local.close(), dispatchers.remote.close()]);
    },
  };
}
