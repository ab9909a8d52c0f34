import { html } from "@platform/kit/web/http";
import { type AdServer, AdServerAdminService } from "@platform/proto/ads/v1/ad_server_admin";
import { CampaignAdminService } from "@platform/proto/ads/v1/ads_admin";
import { ConsumerAdminService } from "@platform/proto/events/v1/consumer_admin";
import { actionLinks } from "../action.ts";
import { copyable, facts, idLink, isoOf, stateOf, timeOf } from "../pages/elements.ts";
import type { Field } from "../pages/fields.ts";
import { overlapField, overlapSecondsOf } from "../pages/overlap.ts";
import { secretPage } from "../pages/secret-page.ts";
import type { Action, Listing, Screen } from "../screen.ts";
import type { Visit } from "../visit.ts";

const consumers = ConsumerAdminService.method;
const adServers = AdServerAdminService.method;
const nameField: Field = { name: "name", label: "Name", hint: "For people: the team or the host.", maxLength: 120 };

const consumerCrumbs = (visit: Visit): [string, string][] => [
  ["Event consumers", `/events/consumers?client=${encodeURIComponent(visit.query("client"))}`],
];
const adServerCrumbs = (visit: Visit): [string, string][] => [
  ["Ad servers", `/campaigns/ad-servers?campaign=${encodeURIComponent(visit.query("campaign"))}`],
];

async function consumerField(visit: Visit): Promise<Field> {
  const reply = await visit.ask(consumers.listConsumers, { projectClientId: visit.query("client"), limit: 200 });
  const active = reply.consumers.filter(({ revokedAt }) => revokedAt === undefined);
  return { name: "consumer", label: "Consumer", choices: active.map(({ id, name }) => [id, `${name} (${id})`]) };
}

export const issueConsumer: Action = {
  path: "/events/consumers/issue",
  title: "Issue a consumer's token",
  button: "Issue it",
  method: consumers.issueConsumer,
  isOnce: true,
  describe: async (visit) => ({
    crumbs: consumerCrumbs(visit),
    what: html`<p>Whoever has the token reads every event of the client, and can do nothing else. It is shown once.</p>
${facts([["Project Client", idLink("/clients", visit.query("client"))]])}`,
  }),
  fields: () => [nameField],
  run: async (visit, options) => {
    const { token } = await visit.ask(
      consumers.issueConsumer,
      { projectClientId: visit.query("client"), name: visit.field("name") },
      options,
    );
    return secretPage("New consumer", "Token", token, consumerCrumbs(visit));
  },
};

export const rotateConsumer: Action = {
  path: "/events/consumers/rotate",
  title: "Rotate a consumer's token",
  button: "Issue a successor",
  method: consumers.rotateConsumer,
  isOnce: true,
  describe: async (visit) => ({
    crumbs: consumerCrumbs(visit),
    what: html`<p>The consumer gets a new token, which is shown once. The one before works until the overlap ends.</p>`,
  }),
  fields: async (visit) => [await consumerField(visit), overlapField()],
  run: async (visit, options) => {
    const { token } = await visit.ask(
      consumers.rotateConsumer,
      { consumerId: visit.field("consumer"), overlapSeconds: BigInt(overlapSecondsOf(visit)) },
      options,
    );
    return secretPage("Successor of the token", "Token", token, consumerCrumbs(visit));
  },
};

const stateOfServer = ({ revokedAt }: AdServer): string => (revokedAt === undefined ? "active" : "revoked");

const adServerList: Listing<AdServer> = {
  path: "/campaigns/ad-servers",
  title: "Ad servers",
  method: adServers.listAdServers,
  isOfClient: false,
  crumbs: [["Campaigns", "/campaigns"]],
  filters: [{ name: "campaign", label: "Campaign id" }],
  columns: [
    { key: "id", title: "Ad server", value: ({ id }) => id, cell: ({ id }) => copyable(id) },
    { key: "name", title: "Name", value: ({ name }) => name },
    {
      key: "campaign_id",
      title: "Campaign",
      value: ({ campaignId }) => campaignId,
      cell: ({ campaignId }) => idLink("/campaigns", campaignId),
    },
    { key: "state", title: "State", value: stateOfServer, cell: (server) => stateOf(stateOfServer(server)) },
    {
      key: "created_at",
      title: "Issued",
      value: ({ createdAt }) => isoOf(createdAt),
      cell: ({ createdAt }) => timeOf(createdAt),
    },
    {
      key: "revoked_at",
      title: "Revoked",
      value: ({ revokedAt }) => isoOf(revokedAt),
      cell: ({ revokedAt }) => timeOf(revokedAt),
    },
  ],
  read: async (visit, filters, page) => {
    const campaign = filters.campaign ?? "";
    const { adServers: rows, nextCursor } = await visit.ask(adServers.listAdServers, {
      ...(campaign === "" ? {} : { campaignId: campaign }),
      ...page,
    });
    return { rows, nextCursor };
  },
  empty: "No ad server has a token. Someone with the role security issues one from the page of a campaign.",
  above: async (visit, filters) => {
    const campaign = filters.campaign ?? "";
    const actions = campaign === "" ? [] : [issueAdServer, rotateAdServer, revokeAdServer];
    return actionLinks(visit, actions, "", `?campaign=${encodeURIComponent(campaign)}`);
  },
};

async function adServerField(visit: Visit): Promise<Field> {
  const reply = await visit.ask(adServers.listAdServers, { campaignId: visit.query("campaign"), limit: 200 });
  const active = reply.adServers.filter(({ revokedAt }) => revokedAt === undefined);
  return { name: "ad_server", label: "Ad server", choices: active.map(({ id, name }) => [id, `${name} (${id})`]) };
}

export const issueAdServer: Action = {
  path: "/campaigns/ad-servers/issue",
  title: "Issue an ad server's token",
  button: "Issue it",
  method: adServers.issueAdServer,
  isOnce: true,
  describe: async (visit) => {
    const { campaign } = await visit.ask(CampaignAdminService.method.getCampaign, {
      campaignId: visit.query("campaign"),
    });
    return {
      crumbs: adServerCrumbs(visit),
      what: html`<p>Whoever has the token issues decisions of <strong>${campaign?.name}</strong>, and can do nothing else. It is shown once.</p>`,
    };
  },
  fields: () => [nameField],
  run: async (visit, options) => {
    const { token } = await visit.ask(
      adServers.issueAdServer,
      { campaignId: visit.query("campaign"), name: visit.field("name") },
      options,
    );
    return secretPage("New ad server", "Token", token, adServerCrumbs(visit));
  },
};

const rotateAdServer: Action = {
  path: "/campaigns/ad-servers/rotate",
  title: "Rotate an ad server's token",
  button: "Issue a successor",
  method: adServers.rotateAdServer,
  isOnce: true,
  describe: async (visit) => ({
    crumbs: adServerCrumbs(visit),
    what: html`<p>The ad server gets a new token, which is shown once. The one before works until the overlap ends.</p>`,
  }),
  fields: async (visit) => [await adServerField(visit), overlapField()],
  run: async (visit, options) => {
    const { token } = await visit.ask(
      adServers.rotateAdServer,
      { adServerId: visit.field("ad_server"), overlapSeconds: BigInt(overlapSecondsOf(visit)) },
      options,
    );
    return secretPage("Successor of the token", "Token", token, adServerCrumbs(visit));
  },
};

const revokeAdServer: Action = {
  path: "/campaigns/ad-servers/revoke",
  title: "Revoke an ad server",
  button: "End its tokens now",
  isDanger: true,
  method: adServers.revokeAdServer,
  describe: async (visit) => ({
    crumbs: adServerCrumbs(visit),
    what: html`<p>The ad server issues no more decisions from now on. This cannot be undone.</p>`,
  }),
  fields: async (visit) => [await adServerField(visit)],
  run: async (visit, options) => {
    await visit.ask(adServers.revokeAdServer, { adServerId: visit.field("ad_server") }, options);
    const query = new URLSearchParams({ campaign: visit.query("campaign") });
    return { redirect: `/campaigns/ad-servers?${query}`, notice: "The ad server is revoked." };
  },
};

/** Tokens of ad servers; those of consumers are on the screen of events. */
export const machineTokens: Screen = {
  lists: [adServerList],
  actions: [issueConsumer, rotateConsumer, issueAdServer, rotateAdServer, revokeAdServer],
};
