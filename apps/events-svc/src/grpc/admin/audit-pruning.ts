import { timestampDate } from "@bufbuild/protobuf/wkt";
import { ServiceError } from "@platform/kit/rpc/errors";
import { type Implementation, implementForOperators } from "@platform/kit/rpc/server";
import { ProjectAuditPruneService } from "@platform/proto/events/v1/audit_prune_admin";
import type { Quota } from "@platform/quota/quota";
import type { AuditModels } from "../../store/project-audit-model.ts";
import { markExported, pruneBatch } from "../../store/prune-project-audits.ts";
import { operatorError } from "./schedule-messages.ts";

type Rpcs = Implementation<typeof ProjectAuditPruneService>;

/** Operator RPCs that prune exported records from a chain. */
export function auditPruning(models: AuditModels, quota: Pick<Quota, "releaseOnce">) {
  const implementation: Rpcs = {
    markProjectAuditsExported: async ({ projectClientId, throughSeq, hash }) => {
      const exported = await markExported(models, projectClientId, Number(throughSeq), hash);
      if (exported === null) throw operatorError("The chain has no such record; export it again.");
      return { exportedSeq: BigInt(exported) };
    },
    pruneProjectAudits: async ({ projectClientId, until }) => {
      if (until === undefined) throw operatorError("until is required.");
      // A gauge that Redis does not know is counted when it is next needed.
      const release = (clientId: string, amount: number, id: string) =>
        quota.releaseOnce(clientId, "audit_retention", amount, id);
      const batch = await pruneBatch(models, projectClientId, timestampDate(until), release);
      if (batch === "export_required") {
        throw new ServiceError(
          "export_required",
          "Records before that time have not been exported; run audits export first.",
        );
      }
      return { pruned: batch.pruned, throughSeq: BigInt(batch.throughSeq), done: batch.isDone };
    },
  };
  return implementForOperators(ProjectAuditPruneService, implementation);
}
