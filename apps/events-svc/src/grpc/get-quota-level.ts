import { ServiceError } from "@platform/kit/rpc/errors";
import { type Implementation, requireProjectClient } from "@platform/kit/rpc/server";
import type { QuotaLevelService } from "@platform/proto/events/v1/events_service";
import type { AuditModels } from "../store/project-audit-model.ts";
import { countProjectAudits } from "../store/read-project-audits.ts";

/** Counts how much of a gauge quota a client uses, if this service owns the resource. */
export function getQuotaLevel(models: AuditModels): Implementation<typeof QuotaLevelService>["getQuotaLevel"] {
  return async ({ resource }, call) => {
    if (resource !== "audit_retention")
      throw new ServiceError("contract_violation", "events-svc counts audit_retention only");
    return { used: BigInt(await countProjectAudits(models, requireProjectClient(call).id)) };
  };
}
