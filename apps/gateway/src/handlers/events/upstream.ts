import {
  DomainEventService,
  ProjectAuditService,
  QuotaLevelService,
  ScheduledOperationService,
} from "@platform/proto/events/v1/events_service";
import type { GrpcConnection } from "@platform/service-kit/grpc/connect";

/** The gRPC services of events-svc that the gateway calls. */
export function connectEvents(connection: GrpcConnection) {
  return {
    audits: connection.service(ProjectAuditService),
    events: connection.service(DomainEventService),
    schedules: connection.service(ScheduledOperationService),
    quotaLevels: connection.service(QuotaLevelService),
  };
}
