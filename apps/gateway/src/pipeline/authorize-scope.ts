import { ServiceError } from "@platform/service-kit/errors/service-error";
import type { Stage } from "./exchange.ts";

/** Refuses a disabled Project Client, and a credential without the operation's scope. */
export const authorizeScope: Stage = (exchange, next) => {
  const { auth } = exchange.operation;
  if (auth.scheme === "projectCredential" && !exchange.client?.scopes.includes(auth.scope)) {
    throw new ServiceError("insufficient_scope", `The credential lacks the scope ${auth.scope}.`, {
      details: { required_scope: auth.scope },
    });
  }
  return next();
};
