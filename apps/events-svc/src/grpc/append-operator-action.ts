import type { OperatorChainService } from "@platform/proto/events/v1/operator_chain";
import { callerGuard } from "@platform/service-kit/grpc/caller-identity";
import type { Implementation, ServerCall } from "@platform/service-kit/grpc/serve";
import { requireRole } from "@platform/service-kit/operator/admit";
import { operatorChainId } from "../domain/project-audit.ts";
import type { AuditAppender } from "../store/append-project-audit.ts";

/** Services append what operators did at them. */
export const operatorChainGuard = callerGuard("identity-svc", "files-svc", "notify-svc", "events-svc", "ads-svc");

/** Readers of the operators' record may also read this chain, although it is stored like Project Audits. */
export function guardOperatorChain<R extends { readonly projectClientId: string }, A>(
  rpc: (request: R, call: ServerCall) => Promise<A>,
): (request: R, call: ServerCall) => Promise<A> {
  return async (request, call) => {
    if (request.projectClientId === operatorChainId && call.operator !== null) {
      requireRole(call.operator, ["security", "root"], "The chain of operators' actions");
    }
    return rpc(request, call);
  };
}

/** Appends an operator's action to the chain of operators' actions, once. */
export function appendOperatorAction(
  appender: AuditAppender,
): Implementation<typeof OperatorChainService>["appendOperatorAction"] {
  return async ({ actionId, who, rpc, outcome, digest }, call) => {
    const fact = {
      actor_id: who,
      action: rpc,
      resource_type: "operator_action",
      resource_id: `${actionId} ${digest}`,
      outcome,
    };
    await appender.append(operatorChainId, fact, { key: actionId, fingerprint: digest }, call.correlationId);
    return {};
  };
}
