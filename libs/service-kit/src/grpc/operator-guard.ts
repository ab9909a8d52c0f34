import { ServiceError } from "../errors/service-error.ts";
import { constantTimeEqual } from "../secrets/token.ts";
import type { CallGuard } from "./serve.ts";

/** Admits only calls that carry the operator's token, as `authorization: Bearer …`. Used by every admin service. */
export function operatorGuard(operatorToken: string): CallGuard {
  return (_method, call) => {
    const presented = call.metadata.get("authorization") ?? "";
    if (!constantTimeEqual(presented, `Bearer ${operatorToken}`)) {
      throw new ServiceError("unauthenticated", "The operator token is missing or wrong; set OPERATOR_TOKEN.");
    }
  };
}
