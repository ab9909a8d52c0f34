import { ServiceError } from "@platform/kit/rpc/errors";
import { callerGuard, implement, type ServerCall } from "@platform/kit/rpc/server";
import type { Approvals } from "@platform/operator-plane/operators";
import { type ApprovalPerson, ApprovalService } from "@platform/proto/identity/v1/approval";
import { otherServices } from "./other-services.ts";

/** RPCs by which the other services request approvals and use them. */
export function approvalService(approvals: Approvals) {
  return implement(
    ApprovalService,
    {
      requestApproval: async (asked, call) => {
        requireOwnRpc(asked.rpc, call);
        return { approvalId: await approvals.request({ ...asked, askedBy: personOf(asked.askedBy) }) };
      },
      useApproval: async (given, call) => {
        requireOwnRpc(given.rpc, call);
        return { askedBy: await approvals.use({ ...given, approvedBy: personOf(given.approvedBy) }) };
      },
    },
    callerGuard(...otherServices),
  );
}

/**
 * Rejects a service that requests acts of another service or consumes their approvals. Connections in plain text, which
 * stay on loopback, do not identify services.
 */
function requireOwnRpc(rpc: string, { caller }: ServerCall): void {
  const [, service = ""] = rpc.split(".");
  if (caller !== null && caller !== `${service}-svc`)
    throw new ServiceError("permission_denied", "A service asks for approvals of its own RPCs alone.");
}

function personOf(person: ApprovalPerson | undefined): ApprovalPerson {
  if (person === undefined || person.subject === "")
    throw new ServiceError("contract_violation", "an approval must name a person");
  return person;
}
