import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startAdsFixture } from "./ads-fixture.ts";

describe("charging", () => {
  let fixture: Awaited<ReturnType<typeof startAdsFixture>>;
  beforeAll(async () => {
    fixture = await startAdsFixture();
  });
  afterAll(() => fixture.close());

  it("charges floor(n × 250 / 1000) over 137 impressions in parallel", async () => {
    const { ads } = fixture;
    const campaignId = await ads.createCampaign({ cpmMinor: 250, budgetMinor: 1_000_000 });
    const tokens = await ads.decide(campaignId, 137);
    const answers = await Promise.all(tokens.map((token) => ads.report(token)));
    expect(answers.every(({ recorded }) => recorded)).toBe(true);
    expect(answers.reduce((sum, { chargedMinor }) => sum + chargedMinor, 0n)).toBe(34n);
    expect(await ads.campaign(campaignId)).toEqual({ status: "active", impressions: 137, chargedMinor: 34 });
    expect(await ads.verify(campaignId)).toMatchObject({ valid: true, impressions: 137n, chargedMinor: 34n });
  });
});
