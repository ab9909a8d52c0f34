import { startTestMongo, type TestMongo } from "@platform/test-kit/mongo";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { adsEnvironment } from "./ads-fixture.ts";
import { spawnAdsServer } from "./ads-process.ts";

describe("a replica that is asked to stop", () => {
  let mongo: TestMongo;
  beforeAll(async () => {
    mongo = await startTestMongo();
  });
  afterAll(() => mongo.close());

  it("responds to every accepted impression and exits with 0 on SIGTERM", async () => {
    const server = await spawnAdsServer(adsEnvironment(mongo));
    const campaignId = await server.createCampaign({ cpmMinor: 1_000, budgetMinor: 1_000_000 });
    const tokens = await server.decide(campaignId, 500);
    const first = server.report(tokens[0] ?? "");
    const rest = tokens.slice(1).map((token) => server.report(token));
    await first;
    // The later calls were sent before the first response, so they are in progress when the signal arrives.
    const code = server.stop();
    const outcomes = await Promise.allSettled(rest);
    expect(await code).toBe(0);
    const answered = outcomes.filter(({ status }) => status === "fulfilled");
    expect(answered.length).toBeGreaterThan(0);
    const check = await spawnAdsServer(adsEnvironment(mongo));
    const audit = await check.verify(campaignId);
    expect(audit).toMatchObject({ valid: true, impressions: BigInt(answered.length + 1) });
    await check.stop();
  });
});
