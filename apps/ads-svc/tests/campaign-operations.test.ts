import { newId } from "@platform/kit/process/secrets";
import type { StoredDocument } from "@platform/kit/store/documents";
import { connectMongo } from "@platform/kit/store/schema";
import { eventually } from "@platform/test-kit/eventually";
import { MongoClient } from "mongodb";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createCampaignStore } from "../src/store/campaigns.ts";
import { adsCall, startAdsFixture } from "./ads-fixture.ts";

let fixture: Awaited<ReturnType<typeof startAdsFixture>>;
let driver: MongoClient;
beforeAll(async () => {
  fixture = await startAdsFixture();
  driver = await MongoClient.connect(fixture.mongo.uri);
});
afterAll(async () => {
  await driver.close();
  await fixture.close();
});

const operations = () => fixture.ads.operations;
/**
 * Waits for an operator's change, which takes effect on every server within a second. Until then, a server may use
 * the previous state.
 */
const settled = (isSo: () => Promise<boolean>) => eventually(isSo);
const codeOf = (call: Promise<unknown>): Promise<string> =>
  call.then(
    () => "done",
    (error: { code: string }) => error.code,
  );

describe("a paused campaign", () => {
  it("issues no decisions while a campaign is paused, accepts those issued before, and issues again once it is resumed", async () => {
    const { ads } = fixture;
    const campaignId = await ads.createCampaign({ cpmMinor: 1_000, budgetMinor: 100 });
    const [issued = ""] = await ads.decide(campaignId, 1);
    const { campaign } = await operations().pauseCampaign({ campaignId }, adsCall());
    expect(campaign?.status).toBe("paused");
    await settled(async () => (await codeOf(ads.decide(campaignId, 1))) === "contract_violation");
    expect(await ads.report(issued)).toMatchObject({ recorded: true, chargedMinor: 1n });
    expect((await operations().resumeCampaign({ campaignId }, adsCall())).campaign?.status).toBe("active");
    await settled(async () => (await codeOf(ads.decide(campaignId, 1))) === "done");
  });
});

describe("the list of campaigns", () => {
  it("lists campaigns page by page, newest first if requested, each with its own sums", async () => {
    const { ads } = fixture;
    const projectClientId = "0190a000-0000-7000-8000-00000000c0de";
    const made: string[] = [];
    for (let count = 0; count < 5; count += 1) {
      const id = await ads.createCampaign({ cpmMinor: 1_000, budgetMinor: 100 });
      made.push(id);
      for (const token of await ads.decide(id, count)) await ads.report(token);
    }
    await driver
      .db(fixture.mongo.database)
      .collection<StoredDocument>("campaigns")
      .updateMany({ _id: { $in: made } }, { $set: { project_client_id: projectClientId } });
    const seen: [string, number][] = [];
    for (let afterId = "", isMore = true; isMore; ) {
      const { campaigns } = await ads.campaigns.listCampaigns(
        { projectClientId, limit: 2, newestFirst: true, afterId },
        adsCall(),
      );
      seen.push(...campaigns.map(({ id, impressions }): [string, number] => [id, Number(impressions)]));
      isMore = campaigns.length === 2;
      afterId = campaigns.at(-1)?.id ?? "";
    }
    expect(seen).toEqual(made.map((id, count) => [id, count]).reverse());
  });
});

describe("an ended campaign", () => {
  it("refuses impressions and resumption of an ended campaign", async () => {
    const { ads } = fixture;
    const campaignId = await ads.createCampaign({ cpmMinor: 1_000, budgetMinor: 100 });
    const [token = ""] = await ads.decide(campaignId, 1);
    const { campaign } = await operations().endCampaign({ campaignId }, adsCall());
    expect(campaign?.status).toBe("ended");
    await settled(async () => (await codeOf(ads.report(token))) === "decision_token_expired");
    expect(await codeOf(operations().resumeCampaign({ campaignId }, adsCall()))).toBe("contract_violation");
    expect(await codeOf(operations().raiseCampaignBudget({ campaignId, budgetMinor: 500n }, adsCall()))).toBe(
      "contract_violation",
    );
  });
});

describe("a campaign of an erased Project Client", () => {
  it("removes the name and destination of a campaign, even if its name is the one that an erasure writes", async () => {
    const projectClientId = newId();
    const terms = { currency: "JPY", cpmMinor: 1_000n, budgetMinor: 100n, projectClientId };
    for (const name of ["Spring", "erased"]) {
      const destinationUrl = "https://advertiser.example/spring";
      await fixture.ads.campaigns.createCampaign({ ...terms, name, destinationUrl }, adsCall());
    }
    const connection = await connectMongo(fixture.config.mongo);
    const campaigns = createCampaignStore(connection);
    expect(await campaigns.eraseOf(projectClientId, new Date(fixture.time.nowMs))).toBe(2);
    expect(await campaigns.eraseOf(projectClientId, new Date(fixture.time.nowMs))).toBe(0);
    const left = await campaigns.listCampaigns(projectClientId, "", 10);
    expect(left.map(({ name, destinationUrl }) => `${name} ${destinationUrl}`)).toEqual([
      "erased https://erased.invalid/",
      "erased https://erased.invalid/",
    ]);
    await connection.close();
  });
});

describe("a raised budget", () => {
  it("charges further impressions after a budget raise, but none that were recorded while the budget was exhausted", async () => {
    const { ads } = fixture;
    const campaignId = await ads.createCampaign({ cpmMinor: 1_000, budgetMinor: 3 });
    for (const token of await ads.decide(campaignId, 5)) await ads.report(token);
    expect(await ads.campaign(campaignId)).toEqual({ status: "exhausted", impressions: 5, chargedMinor: 3 });
    const { campaign } = await operations().raiseCampaignBudget({ campaignId, budgetMinor: 5n }, adsCall());
    expect(campaign).toMatchObject({ status: "active", budgetMinor: 5n, chargedMinor: 3n });
    // The server that executed the change uses the new budget immediately, so no impression after the raise is free.
    const [token = ""] = await ads.decide(campaignId, 1);
    expect(await ads.report(token)).toMatchObject({ recorded: true, chargedMinor: 1n });
    for (const token of await ads.decide(campaignId, 5)) await ads.report(token);
    expect(await ads.campaign(campaignId)).toMatchObject({ status: "exhausted", chargedMinor: 5 });
    expect(await ads.verify(campaignId)).toMatchObject({ valid: true, chargedMinor: 5n });
    const { campaign: shown } = await ads.campaigns.getCampaign({ campaignId }, adsCall());
    expect(shown?.exhaustedAt).toBeDefined();
  });

  it("charges exactly while two servers record impressions and the budget is raised twice", async () => {
    const { ads } = fixture;
    const replica = await fixture.startReplica();
    const campaignId = await ads.createCampaign({ cpmMinor: 500, budgetMinor: 20 });
    const tokens = await ads.decide(campaignId, 300);
    const recording = tokens.map(async (token, at) => (at % 2 === 0 ? ads : replica).report(token));
    await operations().raiseCampaignBudget({ campaignId, budgetMinor: 40n }, adsCall());
    await operations().raiseCampaignBudget({ campaignId, budgetMinor: 60n }, adsCall());
    const answers = await Promise.all(recording);
    const later = await Promise.all((await ads.decide(campaignId, 100)).map((token) => replica.report(token)));
    const charged = [...answers, ...later].reduce((sum, { chargedMinor }) => sum + Number(chargedMinor), 0);
    const shown = await ads.campaign(campaignId);
    expect(shown).toMatchObject({ impressions: 400, chargedMinor: charged });
    expect(charged).toBeLessThanOrEqual(60);
    expect(await ads.verify(campaignId)).toMatchObject({
      valid: true,
      impressions: 400n,
      chargedMinor: BigInt(charged),
    });
    await replica.stop();
  });

  it("refuses a budget that is lower than the current one", async () => {
    const campaignId = await fixture.ads.createCampaign({ cpmMinor: 500, budgetMinor: 20 });
    expect(await codeOf(operations().raiseCampaignBudget({ campaignId, budgetMinor: 19n }, adsCall()))).toBe(
      "contract_violation",
    );
    const { campaign } = await operations().raiseCampaignBudget({ campaignId, budgetMinor: 20n }, adsCall());
    expect(campaign?.budgetMinor).toBe(20n);
  });
});

describe("the report of a campaign", () => {
  const report = async (campaignId: string, by: string) =>
    (await operations().reportCampaign({ campaignId, by }, adsCall())).rows.map((row) => ({
      key: row.key,
      impressions: Number(row.impressions),
      charged: Number(row.chargedMinor),
      refused: Number(row.refused),
    }));

  it("sums a campaign by day and placement, even after batches were aggregated and one aggregation was interrupted", async () => {
    const { ads } = fixture;
    const campaignId = await ads.createCampaign({ cpmMinor: 1_000, budgetMinor: 6_000 });
    const start = Date.parse("2026-03-01T00:00:00Z");
    const documents = Array.from({ length: 12_000 }, (_, at) => ({
      _id: `${campaignId}-${at}`,
      campaign_id: campaignId,
      ordinal: at + 1,
      charged_minor: at < 6_000 ? 1 : 0,
      claim: "c",
      placement: at % 3 === 0 ? "home" : "side",
      format: "display",
      visible_ratio_basis_points: 10_000,
      duration_milliseconds: 2_000,
      issued_at: new Date(start),
      recorded_at: new Date(start + (at < 7_000 ? 0 : 86_400_000)),
    }));
    const database = driver.db(fixture.mongo.database);
    await database.collection<StoredDocument>("impressions").insertMany(documents);
    const byDay = [
      { key: "2026-03-01", impressions: 7_000, charged: 6_000, refused: 1_000 },
      { key: "2026-03-02", impressions: 5_000, charged: 0, refused: 5_000 },
    ];
    expect(await report(campaignId, "day")).toEqual(byDay);
    // Creates the state after a crash between adding the sums of a batch and recording that they were added.
    const campaigns = database.collection<{ _id: string }>("campaigns");
    await campaigns.updateOne({ _id: campaignId }, { $set: { reported_ordinal: 5_000 } });
    expect(await report(campaignId, "day")).toEqual(byDay);
    expect(await report(campaignId, "placement")).toEqual([
      { key: "home", impressions: 4_000, charged: 2_000, refused: 2_000 },
      { key: "side", impressions: 8_000, charged: 4_000, refused: 4_000 },
    ]);
    const examined = await fixture.mongo.examined("impressions", () => report(campaignId, "placement"));
    expect(Math.max(...examined)).toBeLessThanOrEqual(5_000);
    expect(await codeOf(report(campaignId, "week"))).toBe("contract_violation");
  });
});
