import { sweepFactory } from "@platform/kit/jobs/work";
import { silentLogger } from "@platform/kit/process/telemetry";
import { connectMongo, createPutOffStore, type MongoConnection } from "@platform/kit/store/schema";
import { Registry } from "@prometheus-io/client";
import { MongoClient } from "mongodb";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type AdsStore, createAdsStore } from "../src/store/ads-store.ts";
import { auditLedgers } from "../src/worker/audit-ledgers.ts";
import { startAdsFixture } from "./ads-fixture.ts";

describe("the audit of ledgers", () => {
  let fixture: Awaited<ReturnType<typeof startAdsFixture>>;
  let client: MongoClient;
  let connection: MongoConnection;
  let store: AdsStore;
  beforeAll(async () => {
    fixture = await startAdsFixture();
    client = await MongoClient.connect(fixture.mongo.uri);
    connection = await connectMongo(fixture.config.mongo);
    store = createAdsStore(connection);
  });
  afterAll(async () => {
    await connection.close();
    await client.close();
    await fixture.close();
  });

  const recordSome = async (n: number): Promise<string> => {
    const campaignId = await fixture.ads.createCampaign({ cpmMinor: 500, budgetMinor: 1_000 });
    for (const token of await fixture.ads.decide(campaignId, n)) await fixture.ads.report(token);
    return campaignId;
  };
  const impressions = () => client.db(fixture.mongo.database).collection("impressions");
  const audits = () =>
    sweepFactory({
      store: createPutOffStore(connection),
      clock: () => new Date(),
      logger: silentLogger(),
      registry: new Registry(),
    })("audit-ledgers");
  const audit = () => auditLedgers(store, audits(), silentLogger(), new AbortController().signal);

  it("reports no fault in a correct ledger, and resumes at its last position", async () => {
    const campaignId = await recordSome(5);
    expect(await audit()).toBe(0);
    expect(await store.campaigns.auditedOrdinal(campaignId)).toBe(5);
  });

  it("reports a ledger from which an impression was removed", async () => {
    const campaignId = await recordSome(5);
    await impressions().deleteOne({ campaign_id: campaignId, ordinal: 3 });
    expect(await audit()).toBe(1);
    expect(await store.campaigns.auditedOrdinal(campaignId)).toBe(2);
    expect(await fixture.ads.verify(campaignId)).toMatchObject({ valid: false, faultOrdinal: 3n, reason: "missing" });
    await impressions().deleteMany({ campaign_id: campaignId });
  });

  it("reports a ledger in which a charge was altered", async () => {
    const campaignId = await recordSome(4);
    await impressions().updateOne({ campaign_id: campaignId, ordinal: 4 }, { $set: { charged_minor: 9 } });
    expect(await fixture.ads.verify(campaignId)).toMatchObject({
      valid: false,
      faultOrdinal: 4n,
      reason: "wrong_charge",
      impressions: 3n,
      chargedMinor: 1n,
    });
  });
});
