import type { DescMethod } from "@bufbuild/protobuf";
import { ServiceError } from "@platform/kit/rpc/errors";
import { type CallerName, callerGuard, type ServerCall } from "@platform/kit/rpc/server";
import type { Machine, MachineTokens } from "./machine-tokens.ts";

/** Machines with tokens of their own for some RPCs. */
export type MachineCallers = {
  readonly tokens: Pick<MachineTokens, "isToken">;
  /** With mutual TLS, the caller that their certificate must name. */
  readonly name: CallerName;
  /** Names of the methods that they may call. */
  readonly methods: readonly string[];
};

/**
 * Returns whether the call is by a machine to one of its methods. The form of the token decides; `machineOf` verifies
 * it.
 * @throws ServiceError unauthenticated if the call presents another caller's certificate
 */
export function isMachineCall(
  { tokens, name, methods }: MachineCallers,
  method: DescMethod,
  call: Pick<ServerCall, "metadata" | "caller">,
): boolean {
  if (!methods.includes(method.name) || !tokens.isToken(bearerOf(call.metadata.get("authorization")))) return false;
  callerGuard(name)(method, call);
  return true;
}

/**
 * The calling machine; null for an operator.
 * @throws ServiceError unauthenticated when the token is unknown, revoked or expired: one message for all
 */
export async function machineOf(tokens: MachineTokens, call: ServerCall, now: Date): Promise<Machine | null> {
  const token = bearerOf(call.authorization);
  if (!tokens.isToken(token)) return null;
  const machine = await tokens.verify(token, now);
  if (machine === null) throw new ServiceError("unauthenticated", "This token is unknown, revoked or over.");
  return machine;
}

/** @throws ServiceError permission_denied if a machine requests another resource than the one its token is bound to */
export function requireBinding(machine: Machine | null, asked: string, what: string): void {
  if (machine === null || machine.bound_to === asked) return;
  throw new ServiceError("permission_denied", `This token is bound to another ${what}.`);
}

const bearerOf = (authorization: string | undefined): string => /^Bearer (\S+)$/.exec(authorization ?? "")?.[1] ?? "";
