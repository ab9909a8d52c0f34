import type { eventsOperations } from "@platform/contracts/operations/events";
import type { Handler } from "../../handler.ts";

/** Records a Project Audit fact. */
export const createProjectAudit: Handler<(typeof eventsOperations)["events.createProjectAudit"]> = async (
  { body, call },
  upstreams,
) => {
  const { id, replayed } = await upstreams.events.audits.createProjectAudit(
    {
      actorId: body.actor_id,
      action: body.action,
      resourceType: body.resource_type,
      resourceId: body.resource_id,
      outcome: body.outcome,
    },
    { ...call, retryUnavailable: true },
  );
  return { data: { id }, replayed };
};
