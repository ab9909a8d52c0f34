import { type DescMethod, fromJson } from "@bufbuild/protobuf";
import { newId } from "@platform/kit/process/secrets";
import type { MemberRoleName } from "@platform/kit/rpc/client";
import { accessOf, memberRolesOf, ownedField, type ResourceOwners, rpcName } from "@platform/operator-plane/operators";
import { ClientSource } from "@platform/proto/operator/v1/access";
import { type Ended, requestOf } from "./walk-calls.ts";
import type { WalkedProject } from "./walked-project.ts";

/** The project that a member's call is about: their own project, another one, or none. */
export const targets = ["own", "other", "none"] as const;
export type Target = (typeof targets)[number];

/** The result of a member's call. */
export type MemberCall = Ended & {
  readonly rpc: string;
  readonly role: MemberRoleName;
  readonly target: Target;
  readonly correlationId: string;
};

/** Executes a call, whose context may contain a Project Client. */
export type MakeCall = (
  method: DescMethod,
  request: Readonly<Record<string, unknown>>,
  correlationId: string,
  contextClientId: string | null,
) => Promise<Ended>;

/** Calls that end or delete things come last, so that earlier calls still find them. */
const ending = /^(Delete|Revoke|Remove|Disable|Erase|Annul|TakeDown|Prune)/;
export const walkOrder = (methods: readonly DescMethod[]): DescMethod[] => [
  ...methods.filter(({ name }) => !ending.test(name)),
  ...methods.filter(({ name }) => ending.test(name)),
];

/**
 * Returns the field of the request that contains the project, according to the option: its own id, or the id of a resource of the project.
 */
export function namingField(method: DescMethod, owners: ResourceOwners): string | null {
  const source = accessOf(method)?.client;
  if (source === ClientSource.RESOURCE) return ownedField(method, owners)?.name ?? null;
  return source === ClientSource.REQUEST ? "project_client_id" : null;
}

/** Returns whether the context of a call contains the project. */
const isByContext = (method: DescMethod): boolean => accessOf(method)?.client === ClientSource.CONTEXT;

/** Creates a request about a project, and the same request about a resource that does not exist. */
function requestAbout(method: DescMethod, field: string | null, id: string): Record<string, unknown> {
  if (field === null) return requestOf(method);
  const json: Record<string, string> = { [field]: id };
  const isInFilter = field === "project_client_id" && method.input.fields.every(({ name }) => name !== field);
  return fromJson(method.input, isInFilter ? { filter: json } : json) as unknown as Record<string, unknown>;
}

/**
 * Calls an RPC as a member with each target.
 * @param own the member's project
 */
export async function walkAsMember(
  method: DescMethod,
  role: MemberRoleName,
  owners: ResourceOwners,
  projects: { readonly own: WalkedProject; readonly other: WalkedProject },
  makeCall: MakeCall,
): Promise<MemberCall[]> {
  const field = namingField(method, owners);
  const idOf = ({ clientId, ids }: WalkedProject): string =>
    field === "project_client_id" || field === null ? clientId : (ids[field] ?? "");
  const about: Readonly<Record<Target, string>> = { own: idOf(projects.own), other: idOf(projects.other), none: "" };
  const calls: MemberCall[] = [];
  for (const target of targets) {
    const correlationId = newId();
    const contextClientId = isByContext(method) && target !== "none" ? about[target] : null;
    const ended = await makeCall(method, requestAbout(method, field, about[target]), correlationId, contextClientId);
    calls.push({ rpc: rpcName(method), role, target, correlationId, ...ended });
  }
  return calls;
}

/** Returns the response to a call about a resource that does not exist. */
export const answerToNothing = (method: DescMethod, owners: ResourceOwners, makeCall: MakeCall) => {
  const field = namingField(method, owners);
  return makeCall(method, requestAbout(method, field, newId()), newId(), isByContext(method) ? newId() : null);
};

/**
 * Returns the problem in the result of a call, or null if the result is as declared. @param nothing result of the same
 * call about a resource that does not exist
 */
export function memberProblem(
  method: DescMethod,
  { role, target, code, message, reply }: MemberCall,
  nothing: Ended,
): string | null {
  const access = accessOf(method);
  if (access === null) return "it is not for operators";
  const mayRoles = memberRolesOf(access);
  const isNeverFor = mayRoles.length === 0;
  if (isNeverFor) return code === "permission_denied" ? null : `members never may, and it was ${code}`;
  const isByField = access.client === ClientSource.REQUEST || isByContext(method);
  if (target === "own") {
    if (!mayRoles.includes(role)) return code === "permission_denied" ? null : `a ${role} may not, and it was ${code}`;
    const isRefused = /^(permission_denied|unauthenticated|internal_error|recent_sign_in_required)$|_not_found$/.test(
      code,
    );
    return isRefused ? `a ${role} may, and it was ${code}` : null;
  }
  if (target === "none" && isByField)
    return code === "permission_denied" ? null : `it names no project and was ${code}`;
  if (code !== nothing.code || message !== nothing.message || reply !== nothing.reply)
    return `it was ${code} (${message}${reply}), and for nothing ${nothing.code} (${nothing.message}${nothing.reply})`;
  const isHidden = !isByField || code === "project_client_not_found";
  return isHidden && code !== "permission_denied" ? null : `another project is not hidden: ${code}`;
}
