import { constantTimeEqual, isUuid } from "@platform/kit/process/secrets";
import { ServiceError } from "@platform/kit/rpc/errors";
import {
  callerGuard,
  type Guard,
  type Implementation,
  type ServerCall,
  serviceCallers,
} from "@platform/kit/rpc/server";
import { invalidRequest, isOperatorSubject, operatorChainId, requireRole } from "@platform/operator-plane/operators";
import type { AppendOperatorActionRequest, OperatorChainService } from "@platform/proto/events/v1/operator_chain";
import type { AuditAppender } from "../store/append-project-audit.ts";

const isService = callerGuard(...serviceCallers);

/**
 * Admits only services to the chain of operator actions. Services prove who they are by their certificates.
 * Connections in plain text, which stay on one machine, need the platform's token, because otherwise anyone on that
 * machine could fill the chain.
 * @param tokens the break-glass token and its predecessor
 */
export function operatorChainGuard(tokens: readonly string[]): Guard {
  return (method, call) => {
    if (call.caller !== null) return isService(method, call);
    const [, presented = ""] = /^Bearer (.+)$/.exec(call.metadata.get("authorization") ?? "") ?? [];
    if (tokens.map((token) => constantTimeEqual(presented, token)).includes(true)) return undefined;
    throw new ServiceError(
      "unauthenticated",
      "Appending to the operators' chain over plain text takes OPERATOR_TOKEN.",
    );
  };
}

/**
 * Allows people who may read the operators' record to read this chain as well, although it is stored like Project
 * Audits.
 */
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

/** Appends an operator's action to the chain of operators' actions. Repeating the call appends nothing. */
export function appendOperatorAction(
  appender: AuditAppender,
): Implementation<typeof OperatorChainService>["appendOperatorAction"] {
  return async (request, call) => {
    checkEntry(request, call.caller);
    const { actionId, who, rpc, outcome, digest } = request;
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

const rpcForm = /^projectintegration\.([a-z]{1,20})\.v\d{1,3}\.[A-Za-z]{1,100}\/[A-Za-z]{1,100}$/;

/** Rejects an entry that no service's record could contain, because an entry cannot be removed from the chain. */
function checkEntry({ actionId, who, rpc, outcome, digest }: AppendOperatorActionRequest, caller: string | null): void {
  const [, service = ""] = rpcForm.exec(rpc) ?? [];
  const refused = (field: string, message: string): ServiceError => invalidRequest(`/${field}`, message);
  if (!isUuid(actionId)) throw refused("action_id", "must be a UUID");
  if (!isOperatorSubject(who)) throw refused("who", "must have 1 to 255 characters, none of them a control character");
  if (service === "") throw refused("rpc", "must be the full name of an RPC of this platform");
  if (outcome !== "succeeded" && outcome !== "failed") throw refused("outcome", "must be succeeded or failed");
  if (!/^[0-9a-f]{64}$/.test(digest)) throw refused("digest", "must be 64 lowercase hex characters");
  // Every process serves the services of `operator`, so any service may append their actions.
  if (caller !== null && service !== "operator" && caller !== `${service}-svc`) {
    throw new ServiceError("unauthenticated", `${caller} cannot append an action at another service.`);
  }
}
