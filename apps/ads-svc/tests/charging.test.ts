import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startAdsFixture } from "./ads-fixture.ts";

describe("charging", () => {
  let fixture: Awaited<ReturnType<typeof startAdsFixture>>;
  beforeAll(async () => {
    fixture = await startAdsFixture();
  });
  afterAll(() => fixture.close());

  it("charges floor(n × 250 / 1000) in total for 137 concurrent impressions", async () => {
    const { ads } = fixture;
    const campaignId = await ads.createCampaign({ cpmMinor: 250, budgetMinor: 1_000_000 });
    const tokens = await ads.decide(campaignId, 137);
    const answers = await Promise.all(tokens.map((token) => ads.report(token)));
    expect(answers.every(({ recorded }) => recorded)).toBe(true);
    expect(answers.reduce((sum, { chargedMinor }) => sum + chargedMinor, 0n)).toBe(34n);
    expect(await ads.campaign(campaignId)).toEqual({ status: "active", impressions: 137, chargedMinor: 34 });
    expect(await ads.verify(campaignId)).toMatchObject({ valid: true, impressions: 137n, chargedMinor: 34n });
  });

  it("charges the exact total after every impression, whichever of two replicas records it", async () => {
    const { ads } = fixture;
    const replica = await fixture.startReplica();
    const campaignId = await ads.createCampaign({ cpmMinor: 333, budgetMinor: 1_000_000 });
    const tokens = await ads.decide(campaignId, 25);
    let charged = 0n;
    for (const [index, token] of tokens.entries()) {
      charged += (await (index % 2 === 0 ? ads : replica).report(token)).chargedMinor;
      expect(charged).toBe((BigInt(index + 1) * 333n) / 1000n);
    }
    await replica.stop();
  });

  it("charges each of 100 campaigns independently of the others", async () => {
    const { ads } = fixture;
    const campaigns = await Promise.all(
      Array.from({ length: 100 }, (_, index) => ads.createCampaign({ cpmMinor: 100 + index, budgetMinor: 1_000 })),
    );
    const tokens = (await Promise.all(campaigns.map((id) => ads.decide(id, 12)))).flat();
    await Promise.all(tokens.map((token) => ads.report(token)));
    for (const [index, id] of campaigns.entries()) {
      const chargedMinor = Math.floor((12 * (100 + index)) / 1000);
      expect(await ads.campaign(id)).toEqual({ status: "active", impressions: 12, chargedMinor });
      expect(await ads.verify(id)).toMatchObject({ valid: true });
    }
  });

  it("charges 30 campaigns exactly if impressions alternate between two replicas", async () => {
    const { ads } = fixture;
    const replica = await fixture.startReplica();
    const perCampaign = 40;
    const reportAlternating = async (index: number): Promise<void> => {
      const campaignId = await ads.createCampaign({ cpmMinor: 450, budgetMinor: 1_000 });
      const tokens = await ads.decide(campaignId, perCampaign);
      let charged = 0n;
      for (const [at, token] of tokens.entries()) {
        charged += (await ((at + index) % 3 === 0 ? replica : ads).report(token)).chargedMinor;
        expect(charged).toBe((BigInt(at + 1) * 450n) / 1000n);
      }
      expect(await ads.verify(campaignId)).toMatchObject({ valid: true, impressions: BigInt(perCampaign) });
    };
    await Promise.all(Array.from({ length: 30 }, (_, index) => reportAlternating(index)));
    await replica.stop();
  });

  it("charges concurrent impressions up to the budget, and not a single one beyond it", async () => {
    const { ads } = fixture;
    const exact = await ads.createCampaign({ cpmMinor: 1_000, budgetMinor: 50 });
    const [last = "", ...tokens] = await ads.decide(exact, 51);
    const paid = await Promise.all(tokens.map((token) => ads.report(token)));
    expect(paid.every(({ chargedMinor }) => chargedMinor === 1n)).toBe(true);
    expect(await ads.campaign(exact)).toEqual({ status: "active", impressions: 50, chargedMinor: 50 });
    expect(await ads.report(last)).toMatchObject({ recorded: true, chargedMinor: 0n });
    expect(await ads.campaign(exact)).toEqual({ status: "exhausted", impressions: 51, chargedMinor: 50 });

    const onePast = await ads.createCampaign({ cpmMinor: 1_000, budgetMinor: 50 });
    const answers = await Promise.all((await ads.decide(onePast, 51)).map((token) => ads.report(token)));
    expect(answers.filter(({ chargedMinor }) => chargedMinor === 1n)).toHaveLength(50);
    expect(answers.filter(({ chargedMinor }) => chargedMinor === 0n)).toHaveLength(1);
    expect(await ads.campaign(onePast)).toEqual({ status: "exhausted", impressions: 51, chargedMinor: 50 });
  });

  it("records and charges a token once if it is sent 1,000 times concurrently to two replicas", async () => {
    const { ads } = fixture;
    const replica = await fixture.startReplica();
    const campaignId = await ads.createCampaign({ cpmMinor: 7_000, budgetMinor: 1_000_000 });
    const [token = ""] = await ads.decide(campaignId, 1);
    const answers = await Promise.all(
      Array.from({ length: 1_000 }, (_, index) => (index % 2 === 0 ? ads : replica).report(token)),
    );
    expect(answers.filter(({ recorded }) => recorded)).toHaveLength(1);
    expect(answers.reduce((sum, { chargedMinor }) => sum + chargedMinor, 0n)).toBe(7n);
    expect(new Set(answers.map(({ destinationUrl }) => destinationUrl))).toEqual(
      new Set(["https://advertiser.example/spring?x=1"]),
    );
    expect(new Set(answers.map(({ attributionToken }) => attributionToken)).size).toBe(1);
    expect(await ads.campaign(campaignId)).toEqual({ status: "active", impressions: 1, chargedMinor: 7 });
    await replica.stop();
  });

  it("returns the right outcome for replays and new impressions in one batch", async () => {
    const { ads } = fixture;
    const campaignId = await ads.createCampaign({ cpmMinor: 1_000, budgetMinor: 1_000_000 });
    const tokens = await ads.decide(campaignId, 60);
    await Promise.all(tokens.filter((_, index) => index % 3 === 0).map((token) => ads.report(token)));
    // A new replica has cached nothing, so only the database can recognize the repeats.
    const replica = await fixture.startReplica();
    const answers = await Promise.all(tokens.map((token) => replica.report(token)));
    expect(answers.map(({ recorded }) => recorded)).toEqual(tokens.map((_, index) => index % 3 !== 0));
    expect(answers.reduce((sum, { chargedMinor }) => sum + chargedMinor, 0n)).toBe(40n);
    expect(await ads.verify(campaignId)).toMatchObject({ valid: true, impressions: 60n, chargedMinor: 60n });
    await replica.stop();
  });

  it("records an impression that the budget cannot pay, charges nothing for it, and marks the campaign as exhausted", async () => {
    const { ads } = fixture;
    const campaignId = await ads.createCampaign({ cpmMinor: 1_500, budgetMinor: 5 });
    const charged: bigint[] = [];
    for (const token of await ads.decide(campaignId, 6)) {
      const answer = await ads.report(token);
      expect(answer.recorded).toBe(true);
      charged.push(answer.chargedMinor);
    }
    expect(charged).toEqual([1n, 2n, 1n, 0n, 0n, 0n]);
    expect(await ads.campaign(campaignId)).toEqual({ status: "exhausted", impressions: 6, chargedMinor: 4 });
  });

  it("allows a token to be used again if its measurement was below the threshold", async () => {
    const { ads } = fixture;
    const campaignId = await ads.createCampaign({ cpmMinor: 1_000, budgetMinor: 10 });
    const [token = ""] = await ads.decide(campaignId, 1, "video");
    await expect(ads.report(token, 4_999, 2_000)).rejects.toMatchObject({ code: "viewability_not_met" });
    await expect(ads.report(token, 5_000, 1_999)).rejects.toMatchObject({ code: "viewability_not_met" });
    await expect(ads.report(token, 5_000, 60_000)).rejects.toMatchObject({ code: "viewability_not_met" });
    expect(await ads.report(token, 5_000, 2_000)).toMatchObject({ recorded: true, chargedMinor: 1n });
  });
});
