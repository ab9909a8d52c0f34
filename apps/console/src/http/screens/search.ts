import { CampaignAdminService } from "@platform/proto/ads/v1/ads_admin";
import { ScheduledOperationAdminService } from "@platform/proto/events/v1/events_admin";
import { SubscriptionAdminService } from "@platform/proto/events/v1/subscription_admin";
import { FilesAdminService } from "@platform/proto/files/v1/files_admin";
import { AccountAdminService, ProjectClientAdminService } from "@platform/proto/identity/v1/identity_admin";
import { MigrationAdminService } from "@platform/proto/identity/v1/migration_admin";
import { DeliveryAdminService } from "@platform/proto/notify/v1/delivery_admin";
import { EndpointAdminService } from "@platform/proto/notify/v1/endpoint_admin";
import { NotifyAdminService } from "@platform/proto/notify/v1/notify_admin";
import { SenderProfileAdminService } from "@platform/proto/notify/v1/sender_profile_admin";
import { type OperatorAction, OperatorActionAdminService } from "@platform/proto/operator/v1/operator_actions";
import { isServiceError } from "@platform/service-kit/errors/service-error";
import { html } from "@platform/service-kit/http/html";
import { isUuid } from "@platform/service-kit/secrets/id";
import { serviceNames } from "../../calls/backend.ts";
import { actionLinks } from "../action.ts";
import { table } from "../pages/elements.ts";
import type { Answer, Screen } from "../screen.ts";
import type { Visit } from "../visit.ts";
import { findAccounts } from "./accounts.ts";
import { find as findEndpoints } from "./endpoints.ts";

type Hit = { readonly kind: string; readonly label: string; readonly href: string };

/** Clients whose lists are looked through for things that have no RPC of their own. */
const clientsMax = 50;
const actionsRead = 1_000;

/** Looks for a thing in every place that could have it; a place that does not know it finds nothing. */
async function found(asked: Promise<Hit[]>): Promise<Hit[]> {
  try {
    return await asked;
  } catch (error) {
    const isNothing =
      isServiceError(error) &&
      (error.code.endsWith("_not_found") || ["contract_violation", "permission_denied"].includes(error.code));
    if (isNothing) return [];
    throw error;
  }
}

const hit = (kind: string, label: string, href: string): Hit[] => [{ kind, label, href }];

async function byUuid(visit: Visit, id: string): Promise<Hit[]> {
  const at = (path: string): string => `${path}/${id}`;
  const direct = [
    visit
      .ask(ProjectClientAdminService.method.showProjectClient, { projectClientId: id })
      .then(({ projectClient }) => hit("Project Client", projectClient?.name ?? id, at("/clients"))),
    visit
      .ask(NotifyAdminService.method.showDelivery, { deliveryId: id })
      .then(({ delivery }) =>
        hit("Delivery", `${delivery?.channel ?? ""} ${delivery?.status ?? ""}`, at("/deliveries")),
      ),
    visit
      .ask(SenderProfileAdminService.method.showSenderProfile, { senderProfileId: id })
      .then(({ senderProfile }) => hit("Sender profile", senderProfile?.name ?? id, at("/profiles"))),
    visit
      .ask(FilesAdminService.method.getFileObject, { projectClientId: "", fileObjectId: id })
      .then(({ state }) => hit("File Object", state, at("/files"))),
    visit
      .ask(SubscriptionAdminService.method.getSubscription, { subscriptionId: id })
      .then(({ subscription }) => hit("Subscription", subscription?.types.join(" ") ?? id, at("/subscriptions"))),
    visit
      .ask(CampaignAdminService.method.getCampaign, { campaignId: id })
      .then(({ campaign }) => hit("Campaign", campaign?.name ?? id, at("/campaigns"))),
    visit
      .ask(AccountAdminService.method.showAccount, { accountId: id })
      .then(({ account }) => hit("Account", account?.status ?? "", at("/accounts"))),
  ];
  const hits = (await Promise.all(direct.map(found))).flat();
  if (hits.length > 0) return hits;
  const clients = (await visit.projectClients()).slice(0, clientsMax);
  const listed = clients.flatMap((client) => [
    operationOf(visit, client.id, id),
    endpointOf(visit, client.id, id),
    migrationOf(visit, client.id, id),
  ]);
  return (await Promise.all(listed.map(found))).flat();
}

async function operationOf(visit: Visit, projectClientId: string, id: string): Promise<Hit[]> {
  const { operations } = await visit.ask(ScheduledOperationAdminService.method.listScheduledOperations, {
    projectClientId,
  });
  const operation = operations.find((each) => each.id === id);
  return operation === undefined
    ? []
    : hit("Scheduled operation", operation.name, `/schedules/${id}?client=${projectClientId}`);
}

async function endpointOf(visit: Visit, projectClientId: string, id: string): Promise<Hit[]> {
  const { endpoints } = await visit.ask(EndpointAdminService.method.listEndpoints, { projectClientId, limit: 200 });
  const endpoint = endpoints.find((each) => each.id === id);
  if (endpoint !== undefined)
    return hit("Endpoint", endpoint.addressHint, `/endpoints/${id}?client=${projectClientId}`);
  // Of older endpoints their deliveries tell the client.
  const { deliveries } = await visit.ask(DeliveryAdminService.method.listDeliveries, {
    filter: { projectClientId, endpointId: id },
    limit: 1,
  });
  return deliveries.length === 0
    ? []
    : hit("Endpoint", deliveries[0]?.addressHint ?? id, `/endpoints/${id}?client=${projectClientId}`);
}

async function migrationOf(visit: Visit, projectClientId: string, id: string): Promise<Hit[]> {
  const { migrations } = await visit.ask(MigrationAdminService.method.listMigrations, { projectClientId, limit: 200 });
  const migration = migrations.find((each) => each.id === id);
  return migration === undefined
    ? []
    : hit("Identity Migration Transaction", migration.status, `/migrations/${id}?client=${projectClientId}`);
}

/** What operators did in one request; for who may read the record. */
async function byCorrelationId(visit: Visit, id: string): Promise<Hit[]> {
  const method = OperatorActionAdminService.method.listOperatorActions;
  if (!visit.may(method)) return [];
  const pages = await Promise.all(
    serviceNames.map(async (service) => {
      const actions: OperatorAction[] = [];
      for (let cursor = ""; actions.length < actionsRead; ) {
        const page = await visit.ask(method, { limit: 200, cursor }, { service });
        actions.push(...page.actions);
        cursor = page.nextCursor;
        if (cursor === "") break;
      }
      return actions;
    }),
  );
  return pages
    .flat()
    .filter((action) => action.correlationId === id)
    .map(({ rpc, who, outcome }) => ({
      kind: "Operator's act",
      label: `${rpc.split("/").at(-1)} by ${who}: ${outcome}`,
      href: `/operators?rpc=${encodeURIComponent(rpc)}&who=${encodeURIComponent(who)}`,
    }));
}

/** A credential, or its id: its first part is the id. */
async function byCredential(visit: Visit, id: string): Promise<Hit[]> {
  for (let cursor = ""; ; ) {
    const page = await visit.ask(ProjectClientAdminService.method.listProjectCredentials, { limit: 200, cursor });
    const credential = page.projectCredentials.find((each) => each.id === id);
    if (credential !== undefined)
      return hit("Credential", credential.name || id, `/clients/${credential.projectClientId}`);
    cursor = page.nextCursor;
    if (cursor === "") return [];
  }
}

async function hitsOf(visit: Visit, text: string): Promise<Hit[]> {
  const [, credentialId] = /^(?:pcred_)?([0-9a-f]{32})(?:_[0-9a-f]{1,64})?$/.exec(text) ?? [];
  if (credentialId !== undefined) return byCredential(visit, credentialId);
  if (isUuid(text)) return (await Promise.all([byUuid(visit, text), byCorrelationId(visit, text)])).flat();
  const clients = await visit.projectClients();
  return clients
    .filter(({ name }) => name.toLowerCase().includes(text.toLowerCase()))
    .slice(0, 50)
    .map(({ id, name }) => ({ kind: "Project Client", label: name, href: `/clients/${id}` }));
}

async function searchPage(visit: Visit): Promise<Answer> {
  const text = visit.query("q");
  // An address is not looked for from a URL, where it would be kept: forms ask for it, with a reason.
  if (text.includes("@")) {
    return {
      title: "Search by address",
      body: html`<section aria-label="By address"><p>Looking for an address takes a reason, and one of the roles support, security or root.</p>
${actionLinks(visit, [findEndpoints, findAccounts])}</section>`,
    };
  }
  const hits = text === "" ? [] : await hitsOf(visit, text);
  const [only] = hits;
  if (hits.length === 1 && only !== undefined) return { redirect: only.href };
  return {
    title: text === "" ? "Search" : `Found for “${text}”`,
    body: html`<section aria-label="Found">${table(
      "What was found",
      ["Kind", "What"],
      hits.map(({ kind, label, href }) => [kind, html`<a href="${href}">${label}</a>`]),
      "Nothing has this id. Search takes the id of a thing, a credential or its id, part of a client's name, an address, or the correlation id of an operator's act.",
    )}</section>`,
  };
}

export const search: Screen = {
  views: [{ path: "/search", method: ProjectClientAdminService.method.listProjectClients, show: searchPage }],
};
