import type { DescMethod } from "@bufbuild/protobuf";
import { ServiceError } from "@platform/kit/rpc/errors";
import { type CallerName, callerGuard, type ServerCall } from "@platform/kit/rpc/server";
import type { Machine, MachineTokens } from "./machine-tokens.ts";

/** Machines that have tokens of their own and may call some RPCs. */
export type MachineCallers = {
  readonly tokens: Pick<MachineTokens, "isToken">;
  /** The name that the machine's certificate must contain if mutual TLS is used. */
  readonly name: CallerName;
  /** Names of the methods that the machines may call. */
  readonly methods: readonly string[];
};

/**
 * Returns whether a machine is calling one of its methods. The form of the token decides this; `machineOf` verifies the
 * token.
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
 * Returns the machine that is calling, or null for an operator.
 * @throws ServiceError unauthenticated if the token is unknown, revoked or expired, with the same message in each case
 */
export async function machineOf(tokens: MachineTokens, call: ServerCall, now: Date): Promise<Machine | null> {
  const token = bearerOf(call.authorization);
  if (!tokens.isToken(token)) return null;
  const machine = await tokens.verify(token, now);
  if (machine === null) throw new ServiceError("unauthenticated", "This token is unknown, revoked or over.");
  return machine;
}

/**
 * Checks that a machine requests the resource to which its token is bound. @throws ServiceError permission_denied if it
 * requests another one
 */
export function requireBinding(machine: Machine | null, asked: string, what: string): void {
  if (machine === null || machine.bound_to === asked) return;
  throw new ServiceError("permission_denied", `This token is bound to another ${what}.`);
}

const bearerOf = (authorization: string | undefined): string => /^Bearer (\S+)$/.exec(authorization ?? "")?.[1] ?? "";
