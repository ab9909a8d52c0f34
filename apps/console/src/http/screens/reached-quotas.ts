import { timestampDate } from "@bufbuild/protobuf/wkt";
import { type HtmlValue, html } from "@platform/kit/web/http";
import {
  ProjectClientSearchAdminService,
  type ReachedQuota,
} from "@platform/proto/identity/v1/project_client_search_admin";
import { countOf, idLink } from "../pages/elements.ts";
import type { Visit } from "../visit.ts";

/**
 * A condition: projects have used up a quota. It has a sentence with links to the projects, and the time at which the
 * first one did.
 */
export type QuotaCondition = { readonly sentence: HtmlValue; readonly since: Date };

/**
 * Returns the quotas that projects have used up. Returns null while identity-svc is unavailable, so that the other
 * alerts are still shown.
 */
export async function reachedQuotas(
  visit: Pick<Visit, "ask" | "projectClients">,
): Promise<readonly QuotaCondition[] | null> {
  const reply = await visit.ask(ProjectClientSearchAdminService.method.listReachedQuotas, {}).catch(() => null);
  if (reply === null) return null;
  const names = new Map((await visit.projectClients().catch(() => [])).map(({ id, name }) => [id, name]));
  return reply.quotas.map((quota) => ({
    sentence: sentenceOf(quota, names),
    since: quota.since === undefined ? new Date() : timestampDate(quota.since),
  }));
}

/** Returns a sentence such as "2 projects have reached their event quota: Acme, Initech." */
function sentenceOf(
  { resource, clients, projectClientIds }: ReachedQuota,
  names: ReadonlyMap<string, string>,
): HtmlValue {
  const have = clients === 1 ? "1 project has reached its" : `${countOf(clients)} projects have reached their`;
  const links = projectClientIds.map((id, index) => html`${index > 0 && ", "}${idLink("/clients", id, names.get(id))}`);
  const others = clients - projectClientIds.length;
  return html`${have} ${quotaName(resource)} quota: ${links}${others > 0 && html` and ${countOf(others)} more`}.`;
}

/**
 * Returns the name of a quota from its resource: `events` is the event quota, and `storage_bytes` is the storage quota.
 */
export const quotaName = (resource: string): string =>
  resource
    .replace(/_bytes$/, "")
    .replace(/ies$/, "y")
    .replace(/s$/, "")
    .replaceAll("_", " ");
