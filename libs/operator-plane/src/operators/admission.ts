import type { DescMethod, Message } from "@bufbuild/protobuf";
import { newId } from "@platform/kit/process/secrets";
import type { Membership, Operator } from "@platform/kit/rpc/client";
import { isServiceError } from "@platform/kit/rpc/errors";
import type { ServerCall } from "@platform/kit/rpc/server";
import { ClientSource, type OperatorAccess } from "@platform/proto/operator/v1/access";
import type { Counter } from "@prometheus-io/client";
import { isSecurityAct, memberRolesOf, rolesOf, rpcName } from "./access.ts";
import { admitOperator, holdsOneOf, requireRecentSignIn, seesPersonalData } from "./admit.ts";
import { type ClientOfCall, ownedField } from "./client-of-call.ts";
import { namedClientOf, noSuchClient } from "./named-client.ts";
import { operatorChainId } from "./operator-chain.ts";
import { looksUp, type Mask, maskOf, seesMasked } from "./personal-data.ts";
import type { ResourceOwners } from "./resource-owners.ts";

export type Request = Message & { readonly reveal?: unknown };

/** An admitted call. */
export type Admitted = {
  readonly isRecorded: boolean;
  /** How the reply is masked; null if nothing is masked. */
  readonly mask: Mask | null;
  /** The roles that are recorded: those on the platform and, if it was needed, the one in the project. */
  readonly roles: readonly string[];
  /**
   * The request to run. If the caller may not know the resource that it names, an id that does not exist replaces the
   * resource's id.
   */
  readonly request: Request;
};

/**
 * Admits a call. Returns null for a machine or the gateway, which the guard has already admitted. @throws ServiceError
 * if the operator may not make the call
 */
export type Admit = (
  request: Request,
  call: Pick<ServerCall, "operator" | "logger" | "projectClient">,
) => Promise<Admitted | null>;

export type AdmissionOptions = {
  readonly method: DescMethod;
  readonly access: OperatorAccess;
  readonly clientOf: ClientOfCall;
  readonly owners: ResourceOwners;
  readonly refused: Counter<"rpc" | "code">;
  /** Current time in epoch milliseconds. */
  readonly now: () => number;
};

/**
 * Returns the function that admits the calls of a method before the RPC runs. A member may call the method only for
 * their own project: the Project Client that the request names, or that owns the resource in the request, must be one
 * of the caller's memberships. A member cannot find out whether another project exists. Another client is reported as
 * not found. The id of another client's resource is replaced by an id that does not exist, so that the RPC itself
 * responds as it does for any unknown id.
 */
export function createAdmission({ method, access, clientOf, owners, refused, now }: AdmissionOptions): Admit {
  const mask = maskOf(method.output);
  const isForMembers = memberRolesOf(access).length > 0;
  const namedClient = namedClientOf(method.input);
  const owned = access.client === ClientSource.RESOURCE ? ownedField(method, owners) : undefined;

  const membershipOf = async (operator: Operator, request: Request, ofContext: string): Promise<Membership | null> => {
    if (!isForMembers || operator.memberships.length === 0) return null;
    const clientId = access.client === ClientSource.CONTEXT ? ofContext : await clientOf(request);
    // A call concerns only one client, so its context must not name a different one than its request.
    if (ofContext !== "" && ofContext !== clientId) return null;
    return operator.memberships.find((membership) => membership.clientId === clientId) ?? null;
  };
  const requireOwnClient = ({ memberships }: Operator, request: Request, ofContext: string): void => {
    const named = [namedClient?.(request) ?? "", ofContext].filter((id) => id !== "");
    if (named.some((id) => !memberships.some(({ clientId }) => clientId === id))) throw noSuchClient();
  };
  const admit = async (operator: Operator, request: Request, ofContext: string): Promise<Admitted> => {
    const membership = await membershipOf(operator, request, ofContext);
    // A person with a role on the platform may know that other projects exist, so nothing has to be hidden from them.
    if (isForMembers && operator.roles.length === 0 && operator.memberships.length > 0) {
      requireOwnClient(operator, request, ofContext);
      if (owned !== undefined && membership === null)
        return { isRecorded: false, mask, roles: [], request: { ...request, [owned.localName]: newId() } };
    }
    const { isRecorded } = admitOperator(operator, access, request, membership);
    if (isSecurityAct(access)) requireRecentSignIn(operator, now());
    const isMasked = seesMasked(operator) && !seesPersonalData(membership);
    // Reads of the chain of operator actions are not recorded. The chain contains no personal data of a project, and each
    // recorded read would add another action to the chain.
    const isOfOperators = Reflect.get(request, "projectClientId") === operatorChainId;
    const isLook = (mask !== null && !isMasked && !isOfOperators) || looksUp(method.input, request);
    const isAsMember = !holdsOneOf(operator, rolesOf(access));
    const roles = [...operator.roles, ...(isAsMember && membership !== null ? [membership.role] : [])];
    return { isRecorded: isRecorded || isLook, mask: isMasked ? mask : null, roles, request };
  };
  return async (request, { operator, logger, projectClient }) => {
    if (operator === null) return null;
    try {
      return await admit(operator, request, projectClient?.id ?? "");
    } catch (error) {
      const code = isServiceError(error) ? error.code : "internal_error";
      refused.inc({ rpc: rpcName(method), code });
      logger.warn({ who: operator.subject, code }, "an operator's call was rejected");
      throw error;
    }
  };
}
