import { connectGrpc, type GrpcConnection } from "@platform/kit/rpc/client";
import { AdServerAdminService } from "@platform/proto/ads/v1/ad_server_admin";
import { CampaignAdminService, DecisionAdminService } from "@platform/proto/ads/v1/ads_admin";
import { afterAll, beforeAll, expect, test } from "vitest";
import { adsCall, startAdsFixture } from "./ads-fixture.ts";

let fixture: Awaited<ReturnType<typeof startAdsFixture>>;
let campaignId: string;
const connections: GrpcConnection[] = [];

beforeAll(async () => {
  fixture = await startAdsFixture();
  campaignId = await fixture.ads.createCampaign({ cpmMinor: 1_000, budgetMinor: 10_000 });
});
afterAll(async () => {
  for (const connection of connections) connection.close();
  await fixture.close();
});

const connectWith = (token: string): GrpcConnection => {
  const metadata = { authorization: `Bearer ${token}` };
  const connection = connectGrpc({ address: `127.0.0.1:${fixture.port}`, tls: null, metadata });
  connections.push(connection);
  return connection;
};
const admin = () => connectWith(fixture.config.operatorToken).service(AdServerAdminService);
const issue = async (): Promise<{ id: string; token: string }> => {
  const { adServer, token } = await admin().issueAdServer({ campaignId, name: "edge" }, adsCall());
  return { id: adServer?.id ?? "", token };
};
const decide = (token: string, ofCampaign = campaignId) =>
  connectWith(token)
    .service(DecisionAdminService)
    .issueDecisions(
      { campaignId: ofCampaign, placement: "home", format: "display", expiresInSeconds: 600, count: 2 },
      adsCall(),
    );

test("issues decisions for the ad server's campaign, which are accepted as impressions", async () => {
  const { token } = await issue();
  const { tokens } = await decide(token);
  expect(tokens).toHaveLength(2);
  fixture.time.nowMs += 5_000;
  expect(await fixture.ads.report(tokens[0] ?? "")).toMatchObject({ recorded: true });
});

test("refuses an ad server token for another campaign", async () => {
  const other = await fixture.ads.createCampaign({ cpmMinor: 1_000, budgetMinor: 10_000 });
  const { token } = await issue();
  await expect(decide(token, other)).rejects.toMatchObject({ code: "permission_denied" });
});

test("refuses an ad server token at every other RPC", async () => {
  const { token, id } = await issue();
  const connection = connectWith(token);
  const refused = { code: "unauthenticated" };
  await expect(connection.service(CampaignAdminService).getCampaign({ campaignId }, adsCall())).rejects.toMatchObject(
    refused,
  );
  await expect(connection.service(DecisionAdminService).rotateSigningKey({}, adsCall())).rejects.toMatchObject(refused);
  await expect(
    connection.service(AdServerAdminService).rotateAdServer({ adServerId: id }, adsCall()),
  ).rejects.toMatchObject(refused);
});

test("accepts the previous token until the overlap of a rotation ends, and no token after the revocation", async () => {
  const { id, token } = await issue();
  const rotated = await admin().rotateAdServer({ adServerId: id, overlapSeconds: 60n }, adsCall());
  expect((await decide(token)).tokens).toHaveLength(2);
  fixture.time.nowMs += 61_000;
  await expect(decide(token)).rejects.toMatchObject({ code: "unauthenticated" });
  expect((await decide(rotated.token)).tokens).toHaveLength(2);
  await admin().revokeAdServer({ adServerId: id }, adsCall());
  await expect(decide(rotated.token)).rejects.toMatchObject({ code: "unauthenticated" });
});

test("lists the ad servers of one campaign, or of all campaigns, page by page", async () => {
  const all = await admin().listAdServers({ limit: 1 }, adsCall());
  expect([all.adServers.length, all.nextCursor === ""]).toEqual([1, false]);
  const none = await admin().listAdServers({ campaignId: "00000000-0000-7000-8000-000000000000" }, adsCall());
  expect(none.adServers).toEqual([]);
});
