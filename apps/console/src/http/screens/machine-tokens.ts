import { adServers as adServerTable } from "@platform/contracts/operator/ad-servers";
import { signingKeys } from "@platform/contracts/operator/signing-keys";
import { html } from "@platform/kit/web/http";
import { type AdServer, AdServerAdminService } from "@platform/proto/ads/v1/ad_server_admin";
import { CampaignAdminService } from "@platform/proto/ads/v1/ads_admin";
import { ConsumerAdminService } from "@platform/proto/events/v1/consumer_admin";
import { actionLinks } from "../action.ts";
import { facts, idLink } from "../pages/elements.ts";
import type { Field } from "../pages/fields.ts";
import { overlapField, overlapSecondsOf } from "../pages/overlap.ts";
import { secretPage } from "../pages/secret-page.ts";
import { rowFacts, screenOf } from "../resource-screen.ts";
import type { Action, Screen } from "../screen.ts";
import type { Visit } from "../visit.ts";

const consumers = ConsumerAdminService.method;
const adServers = AdServerAdminService.method;
const nameField: Field = {
  name: "name",
  label: "Name",
  hint: "A description, for example the team or the host.",
  maxLength: 120,
};

const consumerCrumbs = (visit: Visit): [string, string][] => [
  ["Event consumers", `/events/consumers?client=${encodeURIComponent(visit.query("client"))}`],
];
const adServerCrumbs = (visit: Visit): [string, string][] => [
  ["Ad servers", `/campaigns/ad-servers?campaign=${encodeURIComponent(visit.query("campaign"))}`],
];

export const issueConsumer: Action = {
  path: "/events/consumers/issue",
  title: "Issue a consumer's token",
  button: "Issue the token",
  method: consumers.issueConsumer,
  isOnce: true,
  describe: async (visit) => ({
    crumbs: consumerCrumbs(visit),
    what: html`<p>Anyone who has the token can read every event of the project, and do nothing else. It is shown only once.</p>
${facts([["Project", idLink("/clients", visit.query("client"))]])}`,
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
  path: "/events/consumers/:id/rotate",
  title: "Rotate a consumer's token",
  button: "Issue the new token",
  method: consumers.rotateConsumer,
  isOnce: true,
  describe: async (visit) => ({
    crumbs: consumerCrumbs(visit),
    what: html`<p>Issues a new token for the consumer, which is shown only once. The old token works until the overlap ends.</p>`,
  }),
  fields: () => [overlapField()],
  run: async (visit, options) => {
    const { token } = await visit.ask(
      consumers.rotateConsumer,
      { consumerId: visit.param("id"), overlapSeconds: BigInt(overlapSecondsOf(visit)) },
      options,
    );
    return secretPage("New token", "Token", token, consumerCrumbs(visit));
  },
};

export const issueAdServer: Action = {
  path: "/campaigns/ad-servers/issue",
  title: "Issue an ad server's token",
  button: "Issue the token",
  method: adServers.issueAdServer,
  isOnce: true,
  describe: async (visit) => {
    const { campaign } = await visit.ask(CampaignAdminService.method.getCampaign, {
      campaignId: visit.query("campaign"),
    });
    return {
      crumbs: adServerCrumbs(visit),
      what: html`<p>Anyone who has the token can issue decisions of <strong>${campaign?.name}</strong>, and do nothing else. It is shown only once.</p>`,
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
  path: "/campaigns/ad-servers/:id/rotate",
  title: "Rotate an ad server's token",
  button: "Issue the new token",
  method: adServers.rotateAdServer,
  isOnce: true,
  describe: async (visit) => ({
    crumbs: adServerCrumbs(visit),
    what: html`<p>Issues a new token for the ad server, which is shown only once. The old token works until the overlap ends.</p>`,
  }),
  fields: () => [overlapField()],
  run: async (visit, options) => {
    const { token } = await visit.ask(
      adServers.rotateAdServer,
      { adServerId: visit.param("id"), overlapSeconds: BigInt(overlapSecondsOf(visit)) },
      options,
    );
    return secretPage("New token", "Token", token, adServerCrumbs(visit));
  },
};

/** Returns the part of an address that contains the campaign of a token. */
const ofCampaign = (campaign: string): string => `?campaign=${encodeURIComponent(campaign)}`;

const adServerScreen = screenOf(adServerTable, {
  above: (visit, { campaign = "" }) =>
    actionLinks(visit, campaign === "" ? [] : [issueAdServer], "", ofCampaign(campaign)),
  show: async (visit, adServer: AdServer) =>
    html`${adServer.revokedAt === undefined && actionLinks(visit, [rotateAdServer], adServer.id, ofCampaign(adServer.campaignId))}
${rowFacts(adServerTable, adServer)}`,
});
const keyScreen = screenOf(signingKeys);

/**
 * Tokens of ad servers, and the keys with which decisions are signed. Tokens of consumers are on the screen of events.
 */
export const machineTokens: Screen = {
  lists: [...(adServerScreen.lists ?? []), ...(keyScreen.lists ?? [])],
  actions: [issueAdServer, rotateAdServer, ...(adServerScreen.actions ?? []), ...(keyScreen.actions ?? [])],
  views: adServerScreen.views ?? [],
};
