import { timestampDate } from "@bufbuild/protobuf/wkt";
import { type HtmlValue, html } from "@platform/kit/web/http";
import {
  ProjectClientSearchAdminService,
  type ReachedQuota,
} from "@platform/proto/identity/v1/project_client_search_admin";
import { countOf, idLink } from "../pages/elements.ts";
import type { Visit } from "../visit.ts";

/** The condition that projects have used up a quota: a sentence with links to them, and the time of the first. */
export type QuotaCondition = { readonly sentence: HtmlValue; readonly since: Date };

/** The quotas that projects have exhausted. Null while identity-svc is unavailable, so that the other alerts are still shown. */
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

/** "2 projects have reached their event quota: Acme, Initech." */
function sentenceOf(
  { resource, clients, projectClientIds }: ReachedQuota,
  names: ReadonlyMap<string, string>,
): HtmlValue {
  const have = clients === 1 ? "1 project has reached its" : `${countOf(clients)} projects have reached their`;
  const links = projectClientIds.map((id, index) => html`${index > 0 && ", "}${idLink("/clients", id, names.get(id))}`);
  const others = clients - projectClientIds.length;
  return html`${have} ${quotaName(resource)} quota: ${links}${others > 0 && html` and ${countOf(others)} more`}.`;
}

/** A resource as an attribute of its quota: `events` is the event quota, `storage_bytes` the storage quota. */
export const quotaName = (resource: string): string =>
  resource
    .replace(/_bytes$/, "")
    .replace(/ies$/, "y")
    .replace(/s$/, "")
    .replaceAll("_", " ");
