import type { DescMessage, DescMethod, DescMethodUnary, MessageInitShape, MessageShape } from "@bufbuild/protobuf";
import type { Membership, RoleName } from "@platform/kit/rpc/client";
import type { HtmlValue } from "@platform/kit/web/http";
import { accessOf, memberRolesOf, rolesOf, seesPersonalData } from "@platform/operator-plane/operators";
import { ProjectClientAdminService } from "@platform/proto/identity/v1/identity_admin";
import type { ProjectClient } from "@platform/proto/identity/v1/identity_service";
import type { Request, Response } from "express";
import type { AskOptions, Backend, Caller } from "../calls/backend.ts";
import type { Clients, NamedClient } from "../calls/clients.ts";
import type { HealthHistory } from "../calls/health-history.ts";
import type { Alertmanager } from "../monitoring/alertmanager.ts";
import type { Prometheus } from "../monitoring/prometheus.ts";
import type { Session, SessionStore } from "../redis/sessions.ts";
import type { CatalogFiles } from "./catalog-files.ts";
import { hasInput, readInput } from "./inputs.ts";
import type { RenderCache } from "./render-cache.ts";
import type { Tails } from "./tails.ts";
import type { ProjectOfVisit } from "./within-project.ts";

/** One request of a signed-in operator. */
export type Visit = {
  readonly request: Request;
  readonly response: Response;
  readonly session: Session;
  readonly sessionId: string;
  readonly sessions: SessionStore;
  readonly correlationId: string;
  readonly backend: Backend;
  readonly clients: Clients;
  readonly health: HealthHistory;
  readonly alertmanager: Alertmanager | null;
  readonly prometheus: Prometheus | null;
  readonly closing: AbortSignal;
  readonly tails: Tails;
  readonly catalogFiles: CatalogFiles;
  /**
   * Cached overview pages by the roles that see them. Collecting the data of a page and drawing its plots keeps a
   * processor core busy for a while.
   */
  readonly overviews: RenderCache<HtmlValue>;
  /** The project whose pages are shown; null on the operators' own pages. */
  readonly project: ProjectOfVisit | null;
  /** Calls an RPC as the operator. */
  ask<I extends DescMessage, O extends DescMessage>(
    method: DescMethodUnary<I, O>,
    request: MessageInitShape<I>,
    options?: AskOptions,
  ): Promise<MessageShape<O>>;
  /** Returns whether the operator may call the method. The service checks this again. */
  may(method: DescMethod): boolean;
  /** Returns a parameter of the query; empty if it is missing or given twice. */
  query(name: string): string;
  /** Returns a parameter of the path. */
  param(name: string): string;
  /** Returns a field of the posted form; empty if it is missing or given twice. */
  field(name: string): string;
  /**
   * Returns whether the posted form has a field, even if it is empty. Browsers do not send a checkbox that is not
   * ticked.
   */
  hasField(name: string): boolean;
  /** Returns a header by its name in lower case; empty if it is missing. */
  header(name: string): string;
  projectClients(): Promise<readonly NamedClient[]>;
  /** Returns the address of this page with some parameters of its query changed. Null removes a parameter. */
  here(changes: Readonly<Record<string, string | null>>): string;
};

export const revealRoles: readonly RoleName[] = ["support", "security", "root"];

/** Returns the roles that may call a method. */
export function rolesFor(method: DescMethod): readonly RoleName[] {
  const access = accessOf(method);
  if (access === null) throw new Error(`${method.name} has no operator_access`);
  return rolesOf(access);
}

/** Returns whether a call of the method is recorded. */
export const isRecorded = (method: DescMethod): boolean => accessOf(method)?.recorded === true;

/** Returns whether the caller must give a reason. */
export const needsReason = (method: DescMethod): boolean => accessOf(method)?.reasonRequired === true;

export const holdsOneOf = ({ roles }: Pick<Session, "roles">, wanted: readonly RoleName[]): boolean =>
  wanted.some((role) => roles.includes(role));

type VisitOptions = Omit<
  Visit,
  "ask" | "may" | "query" | "param" | "field" | "hasField" | "header" | "projectClients" | "here"
>;

export function createVisit(options: VisitOptions): Visit {
  const { request, session, correlationId, backend, clients, project } = options;
  const caller = { operatorToken: session.operatorToken, correlationId };
  return {
    ...options,
    ask: (method, message, askOptions) => backend.ask(method, message, caller, askOptions),
    may: (method) => holdsOneOf(session, rolesFor(method)) || isForMember(project?.membership ?? null, method),
    // On the pages of a project, the client is always that project.
    query: (name) => (name === "client" && project !== null ? project.id : readInput("query", request.query, name)),
    param: (name) => readInput("path", request.params, name),
    field: (name) => (name === "client" && project !== null ? project.id : readInput("field", request.body, name)),
    hasField: (name) => hasInput("field", request.body, name),
    header: (name) => readInput("header", request.headers, name),
    projectClients: () => (session.roles.length > 0 ? clients.list(caller) : ownClients(backend, caller)),
    here: (changes) => {
      const url = new URL(request.originalUrl, "http://console");
      for (const [name, value] of Object.entries(changes)) {
        if (value === null) url.searchParams.delete(name);
        else url.searchParams.set(name, value);
      }
      return `${url.pathname}${url.search}`;
    },
  };
}

/** Returns whether a member with this role may call the method. The service checks this again. */
const isForMember = (membership: Membership | null, method: DescMethod): boolean => {
  const access = accessOf(method);
  return membership !== null && access !== null && memberRolesOf(access).includes(membership.role);
};

/** Returns the projects that a person is a member of, with their names. */
async function ownClients(backend: Backend, caller: Caller): Promise<ProjectClient[]> {
  const shown = await Promise.all(
    (await backend.membershipsOf(caller)).map(({ clientId }) =>
      backend.ask(ProjectClientAdminService.method.showProjectClient, { projectClientId: clientId }, caller),
    ),
  );
  return shown.flatMap(({ projectClient }) => (projectClient === undefined ? [] : [projectClient]));
}

/**
 * Returns whether the operator may perform an action. The service checks this again. @param act the RPC of the action,
 * and whether it shows personal data, which requires an additional role
 */
export function mayAct(
  visit: Visit,
  { method, isReveal }: { readonly method: DescMethod; readonly isReveal?: boolean },
): boolean {
  const mayReveal = holdsOneOf(visit.session, revealRoles) || seesPersonalData(visit.project?.membership ?? null);
  return visit.may(method) && (isReveal !== true || mayReveal);
}
