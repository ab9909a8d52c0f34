import type { GrpcConnection } from "@platform/kit/rpc/client";
import {
  DomainEventService,
  ProjectAuditService,
  QuotaLevelService,
  ScheduledOperationService,
} from "@platform/proto/events/v1/events_service";

/** Creates clients for the gRPC services of events-svc that the gateway calls. */
export function connectEvents(connection: GrpcConnection) {
  return {
    audits: connection.service(ProjectAuditService),
    events: connection.service(DomainEventService),
    schedules: connection.service(ScheduledOperationService),
    quotaLevels: connection.service(QuotaLevelService),
  };
}
