import { accounts } from "@platform/contracts/operator/accounts";
import { endpoints } from "@platform/contracts/operator/endpoints";
import { serviceNames } from "@platform/contracts/services";
import { isUuid } from "@platform/kit/process/secrets";
import { isServiceError } from "@platform/kit/rpc/errors";
import { type HtmlValue, html } from "@platform/kit/web/http";
import { OperatorActionAdminService } from "@platform/proto/operator/v1/operator_actions";
import { type FoundRecord, RecordSearchAdminService } from "@platform/proto/operator/v1/record_search_admin";
import { actionLinks } from "../action.ts";
import { findProjects } from "../find-projects.ts";
import { clientFields } from "../list.ts";
import { idLink, table, timeOf } from "../pages/elements.ts";
import { fieldHtml } from "../pages/fields.ts";
import { sinceField, sinceOf } from "../pages/time-filter.ts";
import { findsOf } from "../resource-find.ts";
import type { Answer, Screen } from "../screen.ts";
import type { Visit } from "../visit.ts";

type Hit = {
  readonly kind: string;
  readonly label: string;
  readonly href: string | null;
  readonly clientId?: string | undefined;
  readonly matched: string;
  readonly at?: FoundRecord["createdAt"] | undefined;
};

const method = RecordSearchAdminService.method.findRecords;
/** Maximum number of projects that one request names. A search over all projects covers the oldest ones. */
const clientsMax = 5_000;
const namesMax = 50;
const textLengthMax = 255;

/**
 * Addresses at which records are shown. `{id}`, `{client}`, `{parent}` and `{before}` are replaced by values of the
 * record.
 */
const pages: Readonly<Record<string, string>> = {
  project_client: "/clients/{id}",
  project_credential: "/clients/{client}",
  account: "/accounts/{id}",
  identity_migration_transaction: "/migrations/{id}?client={client}",
  hosted_continuation: "/migrations/{parent}?client={client}",
  erasure: "/erasures/{id}",
  delivery: "/deliveries/{id}",
  delivery_endpoint: "/endpoints/{id}?client={client}",
  sender_profile: "/profiles/{id}",
  file_object: "/files/{id}",
  public_asset: "/files/{parent}",
  publication: "/files/assets?client={client}",
  download_grant: "/files/{parent}",
  domain_event: "/events?client={client}&before={before}",
  project_audit: "/audits?client={client}&action={label}",
  scheduled_operation: "/schedules/{id}?client={client}",
  scheduled_run: "/schedules/{parent}?client={client}",
  event_subscription: "/subscriptions/{id}",
  event_consumer: "/events/consumers/{id}?client={client}",
  campaign: "/campaigns/{id}",
  ad_server: "/campaigns/ad-servers/{id}",
  impression: "/campaigns/{parent}",
};

/** Returns the address of a record's page; null if it has none. */
export function hrefOf(record: FoundRecord): string | null {
  const values: Readonly<Record<string, string>> = {
    id: record.id,
    client: record.projectClientId ?? "",
    parent: record.parentId ?? "",
    label: record.label,
    before: record.position === undefined ? "" : String(record.position + 1n),
  };
  const page = pages[record.kind];
  return page?.replaceAll(/\{(\w+)\}/g, (_all, name: string) => encodeURIComponent(values[name] ?? "")) ?? null;
}

/** Returns the search term: the id in a credential or a machine's token, or else the text itself. */
export function wantedOf(text: string): string {
  const [, prefix, hex = ""] = /^(?:(pcred|pcons|padsv)_)?([0-9a-f]{32})(?:_[0-9a-f]{1,64})?$/.exec(text) ?? [];
  if (prefix === undefined || prefix === "pcred") return hex === "" ? text : hex;
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

async function recordsOf(visit: Visit, text: string): Promise<{ hits: Hit[]; isPartial: boolean }> {
  const client = visit.query("client");
  const clients = client === "" ? (await visit.projectClients()).map(({ id }) => id).slice(0, clientsMax) : [client];
  const mayMissProjects = clients.length === clientsMax;
  const request = { text, projectClientIds: clients, ...sinceOf(visit.query("since")) };
  const replies = await Promise.all(
    serviceNames.map((service) =>
      visit.ask(method, request, { service }).catch((error: unknown) => {
        // The results of the other services are still shown, and the page says which service is missing.
        if (isServiceError(error, "dependency_unavailable")) return { records: [], isPartial: true };
        throw error;
      }),
    ),
  );
  return {
    isPartial: mayMissProjects || replies.some(({ isPartial }) => isPartial),
    hits: replies
      .flatMap(({ records }) => records)
      .map((record) => ({
        kind: record.kind.replaceAll("_", " "),
        label: record.label || record.id,
        href: hrefOf(record),
        clientId: record.projectClientId,
        matched: record.matched.replaceAll("_", " "),
        at: record.createdAt,
      })),
  };
}

/** Returns the operator actions that belong to a request, if the person may read them. */
async function actsOf(visit: Visit, correlationId: string): Promise<Hit[]> {
  const list = OperatorActionAdminService.method.listOperatorActions;
  if (!visit.may(list)) return [];
  const replies = await Promise.all(serviceNames.map((service) => visit.ask(list, { correlationId }, { service })));
  return replies
    .flatMap(({ actions }) => actions)
    .map(({ rpc, who, outcome, at, clientId }) => ({
      kind: "operator action",
      label: `${rpc.split("/").at(-1)} by ${who}: ${outcome}`,
      href: `/operators?correlation_id=${encodeURIComponent(correlationId)}`,
      clientId,
      matched: "correlation id",
      at,
    }));
}

async function clientsNamed(visit: Visit, text: string): Promise<Hit[]> {
  const clients = await findProjects(visit, text);
  return clients
    .slice(0, namesMax)
    .map(({ id, name }) => ({ kind: "project", label: name, href: `/clients/${id}`, matched: "name" }));
}

async function searchForm(visit: Visit): Promise<HtmlValue> {
  const fields = [
    { name: "q", label: "Search for", value: visit.query("q"), maxLength: textLengthMax, type: "search" as const },
    ...(await clientFields(visit, visit.query("client"), "all projects")),
    {
      ...sinceField(visit.query("since")),
      label: "Correlation ids since this time",
      hint: "Any time: the day that the id contains, or the last day.",
    },
  ];
  return html`<form class="filters d-flex flex-wrap gap-2 align-items-end mb-3" method="get" action="/search" aria-label="Search further">
${fields.map((field) => fieldHtml(field, "find"))}<button class="btn">Search</button></form>`;
}

async function searchPage(visit: Visit): Promise<Answer> {
  const text = visit.query("q");
  // A search for an address is not possible, because the address would be part of a URL, which would be stored. The
  // page refers to the forms that ask for an address and a reason.
  if (text.includes("@")) {
    return {
      title: "Search by address",
      body: html`<section aria-label="By address"><p>To search for an address, you need to give a reason and have one of the roles support, security or root.</p>
${actionLinks(visit, [endpoints, accounts].flatMap(findsOf))}</section>`,
    };
  }
  const isAsked = text !== "" && text.length <= textLengthMax;
  const [found, acts, named] = await Promise.all([
    isAsked ? recordsOf(visit, wantedOf(text)) : { hits: [], isPartial: false },
    isUuid(text) ? actsOf(visit, text.toLowerCase()) : [],
    isAsked && !isUuid(text) ? clientsNamed(visit, text) : [],
  ]);
  const hits = [...found.hits, ...acts, ...named];
  const [only, ...others] = openedBy(hits);
  if (others.length === 0 && only !== undefined && only.href !== null) return { redirect: only.href };
  return {
    title: text === "" ? "Search" : `Results for “${text}”`,
    body: html`${await searchForm(visit)}
<section aria-label="Found">${found.isPartial && html`<p class="alert alert-danger">The search is incomplete. Choose a project or a later time to narrow it.</p>`}
${table(
  "Search results",
  ["Kind", "Result", "Matched", "Project", "Created"],
  hits.map(({ kind, label, href, matched, clientId, at }) => [
    kind,
    href === null ? label : html`<a href="${href}">${label}</a>`,
    matched,
    idLink("/clients", clientId),
    timeOf(at),
  ]),
  "Nothing was found. You can search for an id, an idempotency key, the correlation id of a delivery, a migration or an operator action, a credential, part of a project's name, or an address.",
)}</section>`,
  };
}

/**
 * Returns the results of which a single one is opened directly. If the search term is the id of a record, results that
 * only mention the id are excluded.
 */
function openedBy(hits: readonly Hit[]): readonly Hit[] {
  const byId = hits.filter(({ matched }) => matched === "id");
  return byId.length > 0 ? byId : hits;
}

export const search: Screen = {
  views: [{ path: "/search", method, show: searchPage }],
};
