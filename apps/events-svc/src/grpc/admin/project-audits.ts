import { timestampDate, timestampFromDate } from "@bufbuild/protobuf/wkt";
import { optionalTimestamp } from "@platform/kit/rpc/client";
import { ServiceError } from "@platform/kit/rpc/errors";
import { type Implementation, implementForOperators, type ServedService } from "@platform/kit/rpc/server";
import { createCallerQueue } from "@platform/operator-plane/search";
import { AuditChainAdminService } from "@platform/proto/events/v1/audit_chain_admin";
import { ProjectAuditPruneService } from "@platform/proto/events/v1/audit_prune_admin";
import { ProjectAuditAdminService } from "@platform/proto/events/v1/events_admin";
import type { Quota } from "@platform/quota/quota";
import { type AuditChain, listAuditChains } from "../../store/audit-chains.ts";
import type { AuditModels } from "../../store/project-audit-model.ts";
import { markExported, pruneBatch } from "../../store/prune-project-audits.ts";
import { listProjectAudits, verifyProjectAudits } from "../../store/read-project-audits.ts";
import { guardOperatorChain } from "../append-operator-action.ts";
import { operatorError } from "./schedule-messages.ts";

type RecordRpcs = Implementation<typeof ProjectAuditAdminService>;

/** Maximum number of verifications of one person that wait in this process. */
const verificationsMax = 3;

/** The operator RPCs for Project Audits: they read records, verify whole chains, and prune. */
export function projectAuditServices(models: AuditModels, quota: Pick<Quota, "releaseOnce">): ServedService[] {
  return [
    implementForOperators(ProjectAuditAdminService, recordRpcs(models)),
    implementForOperators(AuditChainAdminService, {
      listAuditChains: async ({ projectClientId, limit, cursor }) => {
        const { items, nextCursor } = await listAuditChains(models, projectClientId.toLowerCase(), { limit, cursor });
        return { chains: items.map(chainMessage), nextCursor };
      },
    }),
    implementForOperators(ProjectAuditPruneService, pruneRpcs(models, quota)),
  ];
}

/** RPCs that list a client's records and verify its chain. */
function recordRpcs(models: AuditModels): RecordRpcs {
  const queue = createCallerQueue(verificationsMax, "verifications");
  const list: RecordRpcs["listProjectAudits"] = async ({ projectClientId, afterSeq, limit, ...wanted }) => {
    const given = (text: string): string | null => (text === "" ? null : text);
    const filter = {
      actorId: given(wanted.actorId),
      action: given(wanted.action),
      resourceType: given(wanted.resourceType),
      resourceId: given(wanted.resourceId),
      span: {
        since: wanted.since === undefined ? null : timestampDate(wanted.since),
        until: wanted.until === undefined ? null : timestampDate(wanted.until),
      },
    };
    const audits = await listProjectAudits(
      models,
      projectClientId,
      Number(afterSeq),
      limit === 0 ? 1_000 : limit,
      filter,
    );
    return {
      audits: audits.map((audit) => ({
        seq: BigInt(audit.seq),
        id: audit.id,
        actorId: audit.actor_id,
        action: audit.action,
        resourceType: audit.resource_type,
        resourceId: audit.resource_id,
        outcome: audit.outcome,
        recordedAt: timestampFromDate(audit.recorded_at),
        previousHash: audit.previous_hash,
        hash: audit.hash,
      })),
    };
  };
  const verify: RecordRpcs["verifyProjectAudits"] = async ({ projectClientId, keptHead }, call) => {
    const result = await queue.run(call.operator?.subject ?? "", call.signal, () =>
      verifyProjectAudits(models, projectClientId, keptHead ?? null, call.signal),
    );
    return "length" in result
      ? { valid: true, length: BigInt(result.length) }
      : { valid: false, brokenAtSeq: BigInt(result.seq), reason: result.reason };
  };
  return { listProjectAudits: guardOperatorChain(list), verifyProjectAudits: guardOperatorChain(verify) };
}

function pruneRpcs(
  models: AuditModels,
  quota: Pick<Quota, "releaseOnce">,
): Implementation<typeof ProjectAuditPruneService> {
  return {
    markProjectAuditsExported: async ({ projectClientId, throughSeq, hash }) => {
      const exported = await markExported(models, projectClientId, Number(throughSeq), hash);
      if (exported === null) throw operatorError("The chain has no such record; export it again.");
      return { exportedSeq: BigInt(exported) };
    },
    pruneProjectAudits: async ({ projectClientId, until }) => {
      if (until === undefined) throw operatorError("until is required.");
      // If Redis does not know a gauge, nothing has to be released: the gauge is counted when it is next needed.
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
}

function chainMessage({ clientId, verifiedAt, ...chain }: AuditChain) {
  return {
    projectClientId: clientId,
    state: chain.state,
    reason: chain.reason,
    length: BigInt(chain.length),
    verifiedSeq: BigInt(chain.verifiedSeq),
    brokenAtSeq: BigInt(chain.brokenSeq),
    exportedSeq: BigInt(chain.exportedSeq),
    prunedSeq: BigInt(chain.prunedSeq),
    ...optionalTimestamp("verifiedAt", verifiedAt),
  };
}
