import type { Keyring } from "@platform/kit/process/secrets";
import type { GrpcConnection } from "@platform/kit/rpc/client";
import { callerGuard, implement, implementForOperators, type ServedService } from "@platform/kit/rpc/server";
import type { DisabledClients } from "@platform/operator-plane/clients";
import { isMachineCall, type MachineCallers } from "@platform/operator-plane/machines";
import { retentionAdmin } from "@platform/operator-plane/retention";
import { usageAdmin } from "@platform/operator-plane/usage/store";
import { ConsumerAdminService } from "@platform/proto/events/v1/consumer_admin";
import { ScheduledOperationAdminService } from "@platform/proto/events/v1/events_admin";
import { DomainEventConsumerService } from "@platform/proto/events/v1/events_consumer";
import {
  DomainEventService,
  PlatformEventService,
  ProjectAuditService,
  QuotaLevelService,
  ScheduledOperationService,
} from "@platform/proto/events/v1/events_service";
import { OperatorChainService } from "@platform/proto/events/v1/operator_chain";
import { PlatformEventAdminService } from "@platform/proto/events/v1/platform_event_admin";
import { ScheduledCallAdminService } from "@platform/proto/events/v1/scheduled_call_admin";
import { SubscriptionAdminService } from "@platform/proto/events/v1/subscription_admin";
import type { Quota } from "@platform/quota/quota";
import { createAuditAppender } from "../store/append-project-audit.ts";
import type { EventsModels } from "../store/models.ts";
import type { EventPublisher } from "../store/publish-domain-event.ts";
import { consumerAdmin } from "./admin/consumers.ts";
import { platformEventAdmin } from "./admin/platform-events.ts";
import { projectAuditServices } from "./admin/project-audits.ts";
import { scheduledCallAdmin } from "./admin/scheduled-calls.ts";
import { scheduledOperationAdmin } from "./admin/scheduled-operations.ts";
import { scheduledRunAdmin } from "./admin/scheduled-runs.ts";
import { subscriptionAdmin } from "./admin/subscriptions.ts";
import { appendOperatorAction, operatorChainGuard } from "./append-operator-action.ts";
import { createProjectAudit } from "./create-project-audit.ts";
import { getQuotaLevel } from "./get-quota-level.ts";
import { publishDomainEvent } from "./publish-domain-event.ts";
import { publishPlatformEvents } from "./publish-platform-events.ts";
import { readEvents } from "./read-events.ts";
import { registerScheduledOperation } from "./register-scheduled-operation.ts";

type Dependencies = {
  readonly models: EventsModels;
  readonly publisher: EventPublisher;
  readonly keyring: Keyring;
  readonly outboundAllow: readonly string[];
  /** The break-glass token and its predecessor. */
  readonly operatorTokens: readonly string[];
  readonly quota: Pick<Quota, "releaseOnce">;
  readonly clock: () => Date;
  readonly identity: GrpcConnection;
  readonly disabledClients: Promise<Pick<DisabledClients, "has">>;
  /** Ends the streams of consumers. */
  readonly closing: AbortSignal;
};

/** Every gRPC service of events-svc. */
export function eventsServices(dependencies: Dependencies): ServedService[] {
  const { models, publisher, clock, closing } = dependencies;
  const { consumers } = models;
  const readers: MachineCallers = { tokens: consumers, name: "consumer", methods: ["ReadEvents"] };
  const appender = createAuditAppender(models.audit, clock);
  return [
    implement(ProjectAuditService, { createProjectAudit: createProjectAudit(appender) }),
    implement(DomainEventService, { publishDomainEvent: publishDomainEvent(publisher) }),
    implement(
      PlatformEventService,
      { publishPlatformEvents: publishPlatformEvents(publisher, clock) },
      callerGuard("identity-svc", "files-svc", "notify-svc"),
    ),
    implement(ScheduledOperationService, {
      registerScheduledOperation: registerScheduledOperation(models.schedule, dependencies),
    }),
    implement(
      OperatorChainService,
      { appendOperatorAction: appendOperatorAction(appender) },
      operatorChainGuard(dependencies.operatorTokens),
    ),
    implementForOperators(QuotaLevelService, { getQuotaLevel: getQuotaLevel(models.audit) }, { gateway: true }),
    implementForOperators(
      DomainEventConsumerService,
      {
        readEvents: readEvents(models.event, {
          closing,
          consumers,
          consumerPositions: models.consumerPositions,
          clock,
          disabledClients: dependencies.disabledClients,
        }),
      },
      { machine: (method, call) => isMachineCall(readers, method, call) },
    ),
    implementForOperators(ConsumerAdminService, consumerAdmin(models, clock)),
    implementForOperators(ScheduledOperationAdminService, scheduledOperationAdmin(models, clock)),
    implementForOperators(ScheduledCallAdminService, scheduledCallAdmin(models.schedule, dependencies)),
    implementForOperators(PlatformEventAdminService, platformEventAdmin(publisher, dependencies.identity, clock)),
    implementForOperators(SubscriptionAdminService, subscriptionAdmin(models, clock)),
    scheduledRunAdmin(models.schedule, dependencies),
    ...projectAuditServices(models.audit, dependencies.quota),
    usageAdmin(models.usage, clock),
    retentionAdmin(models.retention),
  ];
}
