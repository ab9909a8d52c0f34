import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import {
  type DescField,
  type DescMessage,
  type DescMethod,
  type DescService,
  getOption,
  hasOption,
} from "@bufbuild/protobuf";
import { resources } from "@platform/contracts/operator/resources";
import { serviceNames } from "@platform/contracts/services";
import {
  accessOf,
  isSecurityAct,
  maskOf,
  memberRolesOf,
  type ResourceOwners,
  rolesOf,
  rpcName,
} from "@platform/operator-plane/operators";
import { ClientSource, MemberRole, type OperatorAccess } from "@platform/proto/operator/v1/access";
import { masked_for_viewers, recorded_lookup } from "@platform/proto/operator/v1/personal_data";
import { renderRolesPage, rolesPagePath } from "./roles-page.ts";
import { repositoryRoot } from "./source-files.ts";

const pagePath = "proto/operator-rpcs.md";
/** Names of services that operators call. */
const operatorService = /(Admin|Consumer)Service$/;
/** Fields that contain secrets or addresses of people. */
const sensitiveField = /^(.*_)?(password|secret|token|email|address)$|^config_json$/;

/** Fields of requests that look up a person, and fields of replies that may name one. */
const lookupField = /^(email|address|legacy_subject|actor_id)$/;
const personalField = /^(legacy_subject|actor_id|unsubscribe_url)$|^(data|payload)_json$/;

const isMarked = (field: DescField, option: typeof recorded_lookup): boolean =>
  hasOption(field, option) && getOption(field, option);

/** Returns the fields of a message, including nested ones, that may identify a person and are not masked. */
function unmasked(schema: DescMessage, above: readonly string[]): string[] {
  if (above.includes(schema.typeName)) return [];
  return schema.fields.flatMap((field) => {
    if (personalField.test(field.name))
      return isMarked(field, masked_for_viewers) ? [] : [`${schema.name}.${field.name}`];
    return field.message === undefined ? [] : unmasked(field.message, [...above, schema.typeName]);
  });
}

/** Returns every service of the proto files. */
export async function allServices(): Promise<DescService[]> {
  const generated = join(repositoryRoot, "proto/generated");
  const files = readdirSync(generated, { recursive: true, encoding: "utf8" }).filter((path) => path.endsWith("_pb.js"));
  const modules = await Promise.all(
    files.sort().map((path) => import(pathToFileURL(join(generated, path)).href) as Promise<Record<string, unknown>>),
  );
  const services = modules.flatMap((module) => Object.values(module)).filter(isService);
  return services.sort((a, b) => (a.typeName < b.typeName ? -1 : 1));
}

function isService(value: unknown): value is DescService {
  return (value as { kind?: unknown } | null)?.kind === "service";
}

/** Returns every RPC that operators may call. */
export async function operatorRpcs(): Promise<DescMethod[]> {
  return (await allServices()).flatMap(({ methods }) => methods).filter((method) => accessOf(method) !== null);
}

/** Returns the resources to which requests of all services refer, by the field of the request. */
export async function allOwners(): Promise<ResourceOwners> {
  const all = await Promise.all(serviceNames.map(ownersOf));
  return Object.assign({}, ...all) as ResourceOwners;
}

/** Returns the resources to which requests of one service refer. */
export async function ownersOf(service: string): Promise<ResourceOwners> {
  const path = join(repositoryRoot, `apps/${service}-svc/src/store/resource-owners.ts`);
  return ((await import(pathToFileURL(path).href)) as { resourceOwners: ResourceOwners }).resourceOwners;
}

/** Requires that every RPC for operators declares its permitted roles, and that its request marks the fields that must not be recorded. */
export async function checkOperatorRpcs(): Promise<string[]> {
  const methods = (await allServices()).flatMap((service) => service.methods);
  const problems = methods.flatMap(problemsOf);
  if (readFileSync(join(repositoryRoot, pagePath), "utf8") !== renderPage(methods)) {
    problems.push(`${pagePath} is not what the proto files and the operator table say; run make generate`);
  }
  if (readFileSync(join(repositoryRoot, rolesPagePath), "utf8") !== renderRolesPage(methods)) {
    problems.push(`${rolesPagePath} is not what the proto files say; run make generate`);
  }
  return problems;
}

/** Returns the problems in one method's access rules. */
export function problemsOf(method: DescMethod): string[] {
  const access = accessOf(method);
  const name = rpcName(method);
  if (access === null) {
    return operatorService.test(method.parent.name) ? [`${name} has no operator_access: who may call it?`] : [];
  }
  const hasReveal = method.input.fields.some((field) => field.name === "reveal");
  const open = method.input.fields.filter(
    ({ name, proto }) => sensitiveField.test(name) && proto.options?.debugRedact !== true,
  );
  const lookups = method.input.fields.filter(
    (field) => lookupField.test(field.name) && !access.recorded && !isMarked(field, recorded_lookup),
  );
  return [
    ...lookups.map((field) => `${name}: ${field.name} looks a person up; mark it recorded_lookup`),
    ...unmasked(method.output, []).map(
      (field) => `${name}: ${field} of its reply may name a person; mark it masked_for_viewers`,
    ),
    ...(rolesOf(access).length < 2 ? [`${name} names no role`] : []),
    ...(access.reasonRequired && !access.recorded ? [`${name} asks for a reason that no record keeps`] : []),
    ...clientProblems(method, access),
    ...memberProblems(method, access),
    ...secondPersonProblems(method, access),
    ...(access.canReveal !== hasReveal ? [`${name}: can_reveal and a field reveal come together`] : []),
    ...open.map((field) => `${name}: ${field.name} of its request would be recorded; mark it debug_redact`),
  ];
}

/**
 * Requires that every RPC declares which members may call it. The request of an RPC that members may call must identify the project, so that the guard can
 * compare it with the caller's projects.
 */
export function memberProblems(method: DescMethod, { client, members }: OperatorAccess): string[] {
  const name = rpcName(method);
  if (members === MemberRole.UNSPECIFIED)
    return [`${name}: which members of a project may call it? Set the option members, or MEMBER_ROLE_NEVER`];
  if (members === MemberRole.NEVER) return [];
  return [ClientSource.REQUEST, ClientSource.RESOURCE, ClientSource.CONTEXT].includes(client)
    ? namedClientProblems(method, client)
    : [`${name}: members may call it, so its request has to name their project; set the option client`];
}

/** Requires that an RPC that can be recorded declares how its Project Client is found, so that no action is missing from a client's list. */
function clientProblems(method: DescMethod, { client, recorded, canReveal }: OperatorAccess): string[] {
  if (!recorded && !canReveal) return [];
  if (client === ClientSource.UNSPECIFIED)
    return [`${rpcName(method)} is recorded; how is its Project Client found? Set the option client`];
  return namedClientProblems(method, client);
}

/**
 * Checks the RPCs that can require a second person's approval. Such an RPC must change something and be permitted only to the role security. Its request is
 * stored until it is approved, so it must not contain a secret. The service checks before the call whether the Project Client is of production, so the
 * request must name the client.
 */
export function secondPersonProblems(method: DescMethod, access: OperatorAccess): string[] {
  const { secondPerson, client } = access;
  if (secondPerson === undefined) return [];
  const name = rpcName(method);
  const isSecret = method.input.fields.some(({ proto }) => proto.options?.debugRedact === true);
  return [
    ...(isSecurityAct(access) ? [] : [`${name} waits for a second person, so it is recorded and for security alone`]),
    ...(method.methodKind === "unary" ? [] : [`${name} waits for a second person, so it is no stream`]),
    ...(secondPerson.act === "" ? [`${name} waits for a second person; name the words of its command in act`] : []),
    ...(isSecret
      ? [`${name} waits for a second person, and its request, which is stored meanwhile, holds a secret`]
      : []),
    ...(secondPerson.inProduction && client !== ClientSource.REQUEST
      ? [`${name} waits in production, so its request has to name its Project Client`]
      : []),
  ];
}

function namedClientProblems(method: DescMethod, client: ClientSource): string[] {
  const name = rpcName(method);
  const names = (message: DescMessage): boolean =>
    message.fields.some(
      (field) => field.name === "project_client_id" || (field.name === "filter" && isOfClient(field)),
    );
  switch (client) {
    case ClientSource.REQUEST:
      return names(method.input) ? [] : [`${name}: its request has no project_client_id`];
    case ClientSource.RESOURCE:
      return method.input.fields.some((field) => field.name.endsWith("_id"))
        ? []
        : [`${name}: its request names no resource`];
    default:
      return names(method.input) ? [`${name}: its request names a Project Client; use CLIENT_SOURCE_REQUEST`] : [];
  }
}

const isOfClient = ({ message }: DescField): boolean =>
  message?.fields.some(({ name }) => name === "project_client_id") === true;

/** Formats the name of an RPC as `identity.v1.ProjectClientAdminService/SetQuota`. */
export const shortName = (method: DescMethod): string => rpcName(method).replace(/^projectintegration\./, "");

/** Describes when a call that changes nothing is recorded. */
function occasionsOf(method: DescMethod, canReveal: boolean): string[] {
  const looksUp = method.input.fields.some((field) => hasOption(field, recorded_lookup));
  return [
    ...(maskOf(method.output) === null ? [] : ["unless it is masked"]),
    ...(looksUp ? ["when it looks a person up"] : []),
    ...(canReveal ? ["when it reveals"] : []),
  ];
}

/** Returns the command that calls an RPC, according to the operator table. */
function commandOf(method: DescMethod): string {
  const commands = resources.flatMap(({ name, operations }) =>
    operations.filter(({ rpc }) => rpcName(rpc) === rpcName(method)).map(({ verb }) => `\`${name} ${verb}\``),
  );
  return commands.join(", ");
}

/** Renders the table of all RPCs for operators. */
function renderPage(methods: readonly DescMethod[]): string {
  const rows = methods.flatMap((method) => {
    const access = accessOf(method);
    if (access === null) return [];
    const roles = rolesOf(access).filter((role) => role !== "root");
    const recorded = access.recorded ? "yes" : occasionsOf(method, access.canReveal).join(", ");
    const reason = access.reasonRequired ? "yes" : access.canReveal ? "when it reveals" : "";
    const members = memberRolesOf(access).join(", ") || "never";
    const second =
      access.secondPerson === undefined ? "" : access.secondPerson.inProduction ? "in production" : "always";
    const cells = [shortName(method), roles.join(", "), members, recorded, reason, second, commandOf(method)];
    return [`| ${cells.join(" | ")} |`];
  });
  return `# Operator RPCs

Generated by \`make generate\` from the option \`operator_access\`. \`root\` may call every RPC; revealing an address takes \`support\` or \`security\`.
Members of a project call an RPC for their own project alone; every other project does not exist for them. A \`developer\` or \`owner\` may reveal an address of it.
The command is that of the operator table; RPCs without one have commands and pages of their own, or none.
Replies with personal data are masked for people whose only role is \`viewer\` or \`reader\`; when anybody else reads them, the call is recorded.
Where \`SECOND_PERSON\` is on, a call with a second person waits until somebody else with its role approves it.

| RPC | roles | members | recorded | reason | second person | command |
|---|---|---|---|---|---|---|
${rows.join("\n")}
`;
}

if (import.meta.main) {
  const methods = (await allServices()).flatMap((service) => service.methods);
  writeFileSync(join(repositoryRoot, pagePath), renderPage(methods));
  writeFileSync(join(repositoryRoot, rolesPagePath), renderRolesPage(methods));
}
