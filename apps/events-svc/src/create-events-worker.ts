import { defined } from "@platform/kit/process/fields";
import { connectGrpc } from "@platform/kit/rpc/client";
import type { RunningService, ServiceOverrides } from "@platform/kit/service/start";
import { createOutbox } from "@platform/kit/store/documents";
import { followErasures } from "@platform/operator-plane/clients";
import {
  createPlatformFacts,
  publishAndTell,
  startPlatformEventRelay,
  tellContactsByIdentitySvc,
  watchFailing,
} from "@platform/operator-plane/platform-events";
import { startRetention } from "@platform/operator-plane/retention";
import { startPlatformService } from "@platform/operator-plane/service";
import { createUsageReporter } from "@platform/operator-plane/usage";
import { createQuota } from "@platform/quota/quota";
import type { WorkerConfig } from "./config.ts";
import { createCallPacer } from "./redis/pace-calls.ts";
import { followPublished } from "./redis/published-events.ts";
import { createEventsEraser } from "./store/erase-events.ts";
import { eventsModels } from "./store/models.ts";
import type { ReleaseUnits } from "./store/prune-project-audits.ts";
import { createEventPublisher } from "./store/publish-domain-event.ts";
import { createRetentionSweeps } from "./store/retention-sweeps.ts";
import type { SubscriptionDocument } from "./store/subscription-model.ts";
import { startAuditHeadExport } from "./worker/export-audit-heads.ts";
import { measureHeldEvents } from "./worker/measure-held-events.ts";
import { startEventNumbering } from "./worker/number-events.ts";
import { startOwnPartitions } from "./worker/own-partitions.ts";
import { startEventRelay } from "./worker/relay/relay-events.ts";
import { watchRelay } from "./worker/relay/watch-relay.ts";
import type { CallLimits } from "./worker/runs/claim-runs.ts";
import { createClientLimits } from "./worker/runs/client-limits.ts";
import { startRuns } from "./worker/runs/start-runs.ts";
import { startDueRunRecorder } from "./worker/schedules/record-due-runs.ts";
import { startSubscriptions } from "./worker/subscriptions/start-subscriptions.ts";
import { startAuditChainVerification } from "./worker/verify-audit-chains.ts";
import { watchNumbering } from "./worker/watch-numbering.ts";

const retentionEveryMs = 3_600_000;

/**
 * Starts the worker of events-svc. It numbers the event log and relays it, records a run for each event of a
 * subscription and each due time of a schedule, executes runs, and verifies and exports audit chains.
 */
export const createEventsWorker = (
  config: WorkerConfig,
  overrides: ServiceOverrides & { readonly limits?: CallLimits } = {},
): Promise<RunningService> =>
  startPlatformService({
    name: "events-svc-worker",
    config,
    overrides,
    openStores: eventsModels,
    wire: async (kit) => {
      const { stores: models, logger, metrics, health, clock, job } = kit;
      // Redis meters the runs; identity-svc knows the limits of their clients.
      const redis = kit.connectRedis();
      const identity = connectGrpc({ address: config.identityAddress, tls: config.tls });
      kit.onClose(identity.close);
      const [disabledClients, toldClients] = await Promise.all([
        kit.watchDisabledClients(),
        kit.watchPlatformEventClients(),
      ]);
      const facts = createPlatformFacts();
      facts.follow(toldClients);

      const failures = job(
        watchFailing<SubscriptionDocument>(models.subscriptions, {
          resource: "subscription",
          active: { status: "active" },
          data: ({ operation_id }) => ({ operation_id }),
          facts,
          clock,
          logger,
        }),
      );
      const quota = createQuota(redis);
      const usage = createUsageReporter(models.usage.record, { everyMs: 5_000, clock, logger });
      kit.onClose(usage.close);
      const runs = job(
        startRuns({
          ...config,
          ...defined({ limits: overrides.limits }),
          usage,
          models,
          quota,
          pacer: createCallPacer(redis),
          limitsOf: createClientLimits(identity, disabledClients),
          facts,
          failures,
          clock,
          logger,
          metrics,
        }),
      );
      job(startDueRunRecorder(models.schedule, { logger, clock, onRecorded: runs.notify }));
      const subscriptions = job(
        startSubscriptions(models, { logger, clock, metrics, disabledClients, onRecorded: runs.notify }),
      );
      const partitions = job(startOwnPartitions(models, { logger, clock }));
      const numbering = job(
        startEventNumbering(models.event, { logger, partitions, onNumbered: subscriptions.notify }),
      );
      partitions.onGained(numbering.notify);
      job(watchNumbering(models.event, { logger, clock, metrics }));
      const onPublished = (): void => {
        numbering.notify();
        subscriptions.notify();
      };
      followPublished(kit.followChannel, onPublished);
      const { nats } = config;
      if (nats !== null) {
        const relay = job(startEventRelay(models.event, { nats, partitions, disabledClients, logger }));
        health.addCheck("nats", relay.check);
        job(watchRelay(models.event, { disabledClients, logger, clock, metrics }));
      }
      const publisher = createEventPublisher(models.event, {
        clock,
        isRelayed: nats !== null,
        onPublished,
      });
      job(
        startPlatformEventRelay({
          outboxes: [models.schedule.runs, models.schedule.operations, models.subscriptions].map(createOutbox),
          publish: publishAndTell(
            async (entries) => {
              await Promise.all(
                entries.flatMap(({ clientId, facts }) => facts.map((fact) => publisher.publishFact(clientId, fact))),
              );
            },
            tellContactsByIdentitySvc(identity),
            logger,
          ),
          clock,
          logger,
          registry: metrics.registry,
        }),
      );
      job(
        startAuditHeadExport({
          models: models.audit,
          leases: models.leases,
          publisher,
          sweep: kit.createSweep("export-audit-heads"),
          logger,
          clock,
        }),
      );
      job(
        startAuditChainVerification({
          models: models.audit,
          leases: models.leases,
          sweep: kit.createSweep("verify-audit-chains"),
          metrics,
          logger,
          clock,
        }),
      );
      const { registry } = metrics;
      const release: ReleaseUnits = (clientId, amount, id) =>
        quota.releaseOnce(clientId, "audit_retention", amount, id);
      // The first sweep starts together with the worker, and the next one only an hour later. Therefore it waits
      // until this worker knows its partitions.
      const isOwn = async (clientId: string): Promise<boolean> => {
        await partitions.shared;
        return partitions.holds(clientId);
      };
      const sweeps = createRetentionSweeps(models, release, measureHeldEvents(registry), isOwn);
      const eraser = createEventsEraser(models, release);
      job(
        followErasures({
          identity: { address: config.identityAddress, tls: config.tls },
          service: "events",
          erase: async (erasure, signal) =>
            erasure.kind === "client"
              ? eraser.eraseClient(erasure.clientId, signal)
              : eraser.erasePerson(erasure, signal),
          logger,
        }),
      );
      job(
        startRetention(models.retention, sweeps, {
          everyMs: retentionEveryMs,
          clock,
          logger,
          registry,
          sweep: kit.createSweep("retention"),
        }),
      );
    },
  });
