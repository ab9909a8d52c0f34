import { type Implementation, requireIdempotency, requireProjectClient } from "@platform/kit/rpc/server";
import type { ProjectAuditService } from "@platform/proto/events/v1/events_service";
import type { AuditAppender } from "../store/append-project-audit.ts";

/** Appends a fact to the chain of the client that calls. */
export function createProjectAudit(
  appender: AuditAppender,
): Implementation<typeof ProjectAuditService>["createProjectAudit"] {
  return async (request, call) => {
    const { actorId, action, resourceType, resourceId, outcome } = request;
    const fact = { actor_id: actorId, action, resource_type: resourceType, resource_id: resourceId, outcome };
    return appender.append(requireProjectClient(call).id, fact, requireIdempotency(call), call.correlationId);
  };
}
