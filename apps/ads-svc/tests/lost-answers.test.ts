import { silentLogger } from "@platform/kit/process/telemetry";
import type { RunningService } from "@platform/kit/service/start";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createAdsServer } from "../src/create-ads-server.ts";
import { type AdsClients, adsClients, startAdsFixture } from "./ads-fixture.ts";
import { type CuttingProxy, startCuttingProxy } from "./cutting-proxy.ts";

/** A field that only the command of an append contains. */
const appendMark = "visible_ratio_basis_points";

describe("an append whose response was lost", () => {
  let fixture: Awaited<ReturnType<typeof startAdsFixture>>;
  let proxy: CuttingProxy;
  let server: RunningService;
  let cutOff: AdsClients;
  beforeAll(async () => {
    fixture = await startAdsFixture();
    proxy = await startCuttingProxy(fixture.mongo.uri);
    const mongo = { ...fixture.config.mongo, uri: proxy.uri };
    server = await createAdsServer({ ...fixture.config, mongo }, { logger: silentLogger() });
    cutOff = adsClients(server.grpcPort, fixture.config.operatorToken);
  });
  afterAll(async () => {
    cutOff.close();
    await server.close();
    await proxy.close();
    await fixture.close();
  });

  it("finds the recorded entries after a lost response, and reports each charge once", async () => {
    const campaignId = await fixture.ads.createCampaign({ cpmMinor: 250, budgetMinor: 1_000 });
    const [first = "", ...rest] = await fixture.ads.decide(campaignId, 41);
    await cutOff.report(first);
    const cutsBefore = proxy.cuts();
    proxy.cutAnswersTo(appendMark, 1);
    const answers = await Promise.all(rest.map((token) => cutOff.report(token)));
    expect(proxy.cuts()).toBe(cutsBefore + 1);
    expect(answers.every(({ recorded }) => recorded)).toBe(true);
    expect(answers.reduce((sum, { chargedMinor }) => sum + chargedMinor, 0n)).toBe(10n);
    expect(await fixture.ads.verify(campaignId)).toMatchObject({ valid: true, impressions: 41n, chargedMinor: 10n });
  });

  it("keeps the ledger without gaps after a lost response while another replica appends as well", async () => {
    const campaignId = await fixture.ads.createCampaign({ cpmMinor: 777, budgetMinor: 1_000_000 });
    const tokens = await fixture.ads.decide(campaignId, 300);
    proxy.cutAnswersTo(appendMark, 2);
    const answers = await Promise.all(
      tokens.map((token, index) => (index % 2 === 0 ? fixture.ads : cutOff).report(token)),
    );
    const charged = BigInt(Math.floor((300 * 777) / 1000));
    expect(answers.every(({ recorded }) => recorded)).toBe(true);
    expect(answers.reduce((sum, { chargedMinor }) => sum + chargedMinor, 0n)).toBe(charged);
    expect(await fixture.ads.verify(campaignId)).toMatchObject({
      valid: true,
      impressions: 300n,
      chargedMinor: charged,
    });
  });

  it("returns dependency_unavailable if no response arrives, and tells the retry that the impression is recorded", async () => {
    const campaignId = await fixture.ads.createCampaign({ cpmMinor: 1_000, budgetMinor: 1_000 });
    const [token = ""] = await fixture.ads.decide(campaignId, 1);
    // The look-up of an impression contains its id. If its response is lost as well, the outcome stays unknown.
    const jti = JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString()).jti as string;
    proxy.cutAnswersTo(jti, 10);
    await expect(cutOff.report(token)).rejects.toMatchObject({ code: "dependency_unavailable" });
    proxy.cutAnswersTo("", 0);
    expect(await cutOff.report(token)).toMatchObject({ recorded: false, chargedMinor: 0n });
    expect(await fixture.ads.campaign(campaignId)).toMatchObject({ impressions: 1, chargedMinor: 1 });
  });
});
