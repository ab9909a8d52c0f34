import { ProjectAuditAdminService, ScheduledOperationAdminService } from "@platform/proto/events/v1/events_admin";
import { DomainEventConsumerService } from "@platform/proto/events/v1/events_consumer";
import {
  DomainEventService,
  ProjectAuditService,
  QuotaLevelService,
  ScheduledOperationService,
} from "@platform/proto/events/v1/events_service";
import { gatewayOrOperatorGuard, operatorGuard } from "@platform/service-kit/grpc/operator-guard";
import { implement, type ServedService } from "@platform/service-kit/grpc/serve";
import type { Keyring } from "@platform/service-kit/secrets/sealed";
import { createAuditAppender } from "../store/append-project-audit.ts";
import type { EventsModels } from "../store/models.ts";
import type { EventPublisher } from "../store/publish-domain-event.ts";
import { listProjectAudits } from "./admin/list-project-audits.ts";
import { scheduledOperationAdmin } from "./admin/scheduled-operation-admin.ts";
import { verifyProjectAudits } from "./admin/verify-project-audits.ts";
import { createProjectAudit } from "./create-project-audit.ts";
import { getQuotaLevel } from "./get-quota-level.ts";
import { publishDomainEvent } from "./publish-domain-event.ts";
import { readEvents } from "./read-events.ts";
import { registerScheduledOperation } from "./register-scheduled-operation.ts";

type Dependencies = {
  readonly models: EventsModels;
  readonly publisher: EventPublisher;
  readonly keyring: Keyring;
  readonly outboundAllow: readonly string[];
  readonly clock: () => Date;
  /** Ends the streams of consumers. */
  readonly closing: AbortSignal;
};

/** Every gRPC service of events-svc. */
export function eventsServices(dependencies: Dependencies, operatorToken: string): ServedService[] {
  const { models, publisher, clock, closing } = dependencies;
  const isOperator = operatorGuard(operatorToken);
  const appender = createAuditAppender(models.audit, clock);
  return [
    implement(ProjectAuditService, { createProjectAudit: createProjectAudit(appender) }),
    implement(DomainEventService, { publishDomainEvent: publishDomainEvent(publisher) }),
    implement(ScheduledOperationService, {
      registerScheduledOperation: registerScheduledOperation(models.schedule, dependencies),
    }),
    implement(QuotaLevelService, { getQuotaLevel: getQuotaLevel(models.audit) }, gatewayOrOperatorGuard(operatorToken)),
    implement(DomainEventConsumerService, { readEvents: readEvents(models.event, closing) }, isOperator),
    implement(
      ProjectAuditAdminService,
      {
        listProjectAudits: listProjectAudits(models.audit),
        verifyProjectAudits: verifyProjectAudits(models.audit),
      },
      isOperator,
    ),
    implement(ScheduledOperationAdminService, scheduledOperationAdmin(models.schedule, clock), isOperator),
  ];
}
