import type { DescMethod } from "@bufbuild/protobuf";
import { ServiceError } from "../errors/service-error.ts";
import type { Machine, MachineTokens } from "../mongo/machine-tokens.ts";
import { type CallerName, callerGuard } from "./caller-identity.ts";
import type { IncomingCall, ServerCall } from "./incoming-call.ts";

/** The machines that may call some RPCs with a token of their own. */
export type MachineCallers = {
  readonly tokens: Pick<MachineTokens, "isToken">;
  /** With mutual TLS, whom their certificate must name. */
  readonly name: CallerName;
  /** Names of the methods they may call. */
  readonly methods: readonly string[];
};

/**
 * Is the call a machine's, to a method it may call? Tells by the form of the token; `machineOf` proves it.
 * @throws ServiceError unauthenticated when it presents another caller's certificate
 */
export function isMachineCall(
  { tokens, name, methods }: MachineCallers,
  method: DescMethod,
  call: IncomingCall,
): boolean {
  if (!methods.includes(method.name) || !tokens.isToken(bearerOf(call.metadata.get("authorization")))) return false;
  callerGuard(name)(method, call);
  return true;
}

/**
 * The machine that calls; null when an operator does.
 * @throws ServiceError unauthenticated when the token is unknown, revoked or over: one message for all
 */
export async function machineOf(tokens: MachineTokens, call: ServerCall, now: Date): Promise<Machine | null> {
  const token = bearerOf(call.authorization);
  if (!tokens.isToken(token)) return null;
  const machine = await tokens.verify(token, now);
  if (machine === null) throw new ServiceError("unauthenticated", "This token is unknown, revoked or over.");
  return machine;
}

/** @throws ServiceError permission_denied when a machine asks for something else than what its token is bound to */
export function requireBinding(machine: Machine | null, asked: string, what: string): void {
  if (machine === null || machine.bound_to === asked) return;
  throw new ServiceError("permission_denied", `This token is bound to another ${what}.`);
}

const bearerOf = (authorization: string | undefined): string => /^Bearer (\S+)$/.exec(authorization ?? "")?.[1] ?? "";
