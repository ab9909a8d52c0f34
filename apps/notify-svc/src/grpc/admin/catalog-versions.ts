import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { isServiceError, type ServiceError } from "@platform/kit/rpc/errors";
import type { ServerCall } from "@platform/kit/rpc/server";
import type {
  ListCatalogProblemsRequest,
  ListCatalogVersionsRequest,
  PreviewCatalogRequest,
  RollBackCatalogRequest,
} from "@platform/proto/notify/v1/catalog_admin";
import type { Template as WireTemplate } from "@platform/proto/notify/v1/notify_admin";
import { catalogChanges } from "../../domain/catalog-changes.ts";
import { type CatalogProblem, catalogProblems } from "../../domain/catalog-problems.ts";
import { channels } from "../../domain/channel.ts";
import { checkTemplate, TemplateInvalid } from "../../domain/render-template.ts";
import { type Template, templateName } from "../../domain/template.ts";
import type { RpcDeps } from "../rpc-deps.ts";
import { operatorOf, readTemplates } from "./catalogs.ts";
import { readTemplate, refuse } from "./read-template.ts";
import { requireClientId } from "./require-client-id.ts";

const pageDefault = 50;

/** Returns the changes that applying a catalog would make, and its problems. */
export const previewCatalog =
  ({ stores }: RpcDeps) =>
  async (request: PreviewCatalogRequest) => {
    const projectClientId = requireClientId(request.projectClientId);
    const refused: CatalogProblem[] = [];
    const templates = readTemplates(request.templates, (wire, path) => {
      try {
        return readTemplate(wire, path);
      } catch (error) {
        if (!isServiceError(error)) throw error;
        refused.push({ kind: "refused", name: wireName(wire), message: reasonOf(error) });
        return null;
      }
    });
    const [before, problems] = await Promise.all([
      stores.catalogs.list(projectClientId),
      problemsOf(stores, projectClientId, templates),
    ]);
    return { ...catalogChanges(before, templates), problems: [...refused, ...problems] };
  };

/** Lists the problems of the validated catalog: entries that could not be sent with the applied catalog. */
export const listCatalogProblems =
  ({ stores }: RpcDeps) =>
  async (request: ListCatalogProblemsRequest) => {
    const projectClientId = requireClientId(request.projectClientId);
    return { problems: await problemsOf(stores, projectClientId, await stores.catalogs.list(projectClientId)) };
  };

/** Lists the versions of a catalog that are kept, newest first. */
export const listCatalogVersions =
  ({ stores }: RpcDeps) =>
  async ({ projectClientId, limit, cursor }: ListCatalogVersionsRequest) => {
    const all = await stores.catalogs.listVersions(requireClientId(projectClientId));
    const begin = cursor === "" ? Number.POSITIVE_INFINITY : Number(cursor);
    if (Number.isNaN(begin)) refuse("/cursor", "not a cursor of this list");
    const left = all.filter(({ version }) => version < begin);
    const page = left.slice(0, limit === 0 ? pageDefault : limit);
    const last = page.at(-1);
    return {
      versions: page.map(({ appliedAt, ...version }) => ({ ...version, appliedAt: timestampFromDate(appliedAt) })),
      nextCursor: last === undefined || page.length === left.length ? "" : String(last.version),
    };
  };

/** Applies an earlier catalog again. It may be rejected now, although it was accepted then. */
export const rollBackCatalog =
  ({ stores, clock }: RpcDeps) =>
  async (request: RollBackCatalogRequest, call: ServerCall) => {
    const projectClientId = requireClientId(request.projectClientId);
    const templates = await stores.catalogs.readVersion(projectClientId, request.version);
    if (templates === null) return refuse("/version", "no such version is kept; catalog history lists those that are");
    for (const template of templates) requireValid(template);
    const options = { by: operatorOf(call), now: clock() };
    const { changes, version } = await stores.catalogs.apply(projectClientId, templates, options);
    return { version, ...changes };
  };

function requireValid(template: Template): void {
  try {
    checkTemplate(template);
  } catch (error) {
    if (!(error instanceof TemplateInvalid)) throw error;
    refuse("/version", `${templateName(template)}: ${error.message}`);
  }
}

async function problemsOf(
  stores: RpcDeps["stores"],
  projectClientId: string,
  templates: readonly Template[],
): Promise<CatalogProblem[]> {
  const entries = await stores.validatedCatalogs.entries(projectClientId);
  if (entries.length === 0) return [];
  const named = channels.filter((channel) => channel !== "email" && entries.some((entry) => entry.channel === channel));
  const [profiles, ...purposes] = await Promise.all([
    stores.senderProfiles.list(projectClientId),
    ...named.map((channel) => stores.endpointSearch.recentPurposes(projectClientId, channel)),
  ]);
  const consented = new Map(named.map((channel, index) => [channel as string, purposes[index]]));
  return catalogProblems(entries, {
    templates,
    profiles,
    isConsented: (channel, purpose) => consented.get(channel)?.has(purpose) === true,
  });
}

const wireName = ({ key, channel, locale }: WireTemplate): string => `${key} ${channel} ${locale}`;

function reasonOf({ message, details }: ServiceError): string {
  const [first] = (details.violations ?? []) as readonly { path?: string; message?: string }[];
  return first === undefined ? message : `${first.path}: ${first.message}`;
}
