import { ServiceError } from "../errors/service-error.ts";
import { constantTimeEqual } from "../secrets/token.ts";
import { callerGuard } from "./caller-identity.ts";
import type { CallGuard } from "./incoming-call.ts";
import { isMachineCall, type MachineCallers } from "./machine-caller.ts";

/**
 * Admits only operators: with mutual TLS the certificate must be the operator's, and the call must carry the operator's token, as
 * `authorization: Bearer …`. Used by every admin service.
 */
export function operatorGuard(operatorToken: string): CallGuard {
  const isOperator = callerGuard("operator");
  return (method, call) => {
    isOperator(method, call);
    const presented = call.metadata.get("authorization") ?? "";
    if (!constantTimeEqual(presented, `Bearer ${operatorToken}`)) {
      throw new ServiceError("unauthenticated", "The operator token is missing or wrong; set OPERATOR_TOKEN.");
    }
  };
}

/** Admits machines to what they may call, and operators as `operatorGuard` does. */
export function machineOrOperatorGuard(machines: MachineCallers, operatorToken: string): CallGuard {
  const isOperator = operatorGuard(operatorToken);
  return (method, call) => {
    if (!isMachineCall(machines, method, call)) isOperator(method, call);
  };
}

/** Admits the gateway, and operators as `operatorGuard` does: for RPCs that both may call. */
export function gatewayOrOperatorGuard(operatorToken: string): CallGuard {
  const isGateway = callerGuard("gateway");
  const isOperator = operatorGuard(operatorToken);
  return (method, call) => (call.caller === "operator" ? isOperator : isGateway)(method, call);
}
