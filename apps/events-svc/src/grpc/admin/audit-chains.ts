import { optionalTimestamp } from "@platform/kit/rpc/client";
import { implementForOperators, type ServedService } from "@platform/kit/rpc/server";
import { AuditChainAdminService } from "@platform/proto/events/v1/audit_chain_admin";
import { type AuditChain, listAuditChains } from "../../store/audit-chains.ts";
import type { AuditModels } from "../../store/project-audit-model.ts";

/** The operator RPCs of audit chains as a whole. */
export function auditChains(models: AuditModels): ServedService {
  return implementForOperators(AuditChainAdminService, {
    listAuditChains: async ({ projectClientId, limit, cursor }) => {
      const { items, nextCursor } = await listAuditChains(models, projectClientId.toLowerCase(), { limit, cursor });
      return { chains: items.map(chainMessage), nextCursor };
    },
  });
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
