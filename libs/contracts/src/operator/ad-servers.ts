import { AdServerAdminService, AdServerSchema } from "@platform/proto/ads/v1/ad_server_admin";
import { operation, resource } from "./resource.ts";

const rpcs = AdServerAdminService.method;

export const adServers = resource({
  name: "ad-servers",
  noun: "ad server",
  title: "Ad servers",
  row: AdServerSchema,
  subject: { field: "adServerId", option: "ad-server", explanation: "ad server id" },
  paths: { list: "/campaigns/ad-servers" },
  above: ["Campaigns", "/campaigns"],
  named: "name",
  columns: [
    { field: "id", title: "Ad server", kind: "id", page: "/campaigns/ad-servers" },
    { field: "name", title: "Name" },
    { field: "createdAt", title: "Issued", kind: "time" },
    { field: "revokedAt", title: "Revoked", kind: "time" },
    { field: "campaignId", title: "Campaign", kind: "id", page: "/campaigns" },
    {
      field: "revokedAt",
      key: "state",
      title: "State",
      kind: "state",
      words: ["revoked", "active"],
      isOnPagesOnly: true,
    },
  ],
  shown: {
    list: ["id", "name", "campaignId", "state", "createdAt", "revokedAt"],
    page: ["state", "campaignId", "createdAt", "revokedAt"],
    question: ["name", "campaignId"],
  },
  operations: [
    operation({
      verb: "list",
      rpc: rpcs.listAdServers,
      does: "list",
      summary: "List ad servers, oldest first.",
      empty: "No ad server has a token. To issue one, open a campaign's page with the role security.",
      fields: [
        {
          field: "campaignId",
          option: "campaign",
          kind: "id",
          label: "Campaign",
          explanation: "only ad servers of this campaign",
        },
      ],
    }),
    operation({
      verb: "revoke",
      rpc: rpcs.revokeAdServer,
      does: "act",
      summary: "Revoke an ad server's tokens immediately. This cannot be undone.",
      button: "Revoke its tokens",
      notice: "The ad server is revoked.",
      isDanger: true,
      offeredIn: ["active"],
    }),
  ],
});
