import { isServiceError } from "@platform/kit/rpc/errors";
import { startTestMongo, type TestMongo } from "@platform/test-kit/mongo";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { adsCall, adsEnvironment } from "./ads-fixture.ts";
import { type AdsProcess, spawnAdsServer } from "./ads-process.ts";

const callers = 50;

type Tally = { recorded: number; replayed: number; charged: bigint; sentAgain: number };

/**
 * Reports every token with 50 concurrent callers, spread over both replicas. Once half of the tokens have a response,
 * one replica is killed. A caller that gets no response sends the same token to the other replica, as a browser's
 * retry through the gateway would.
 */
async function reportAll(tokens: readonly string[], survivor: AdsProcess, doomed: AdsProcess): Promise<Tally> {
  const tally: Tally = { recorded: 0, replayed: 0, charged: 0n, sentAgain: 0 };
  const queue = [...tokens.entries()];
  let answered = 0;
  let killed: Promise<void> | null = null;
  const report = async (index: number, token: string) => {
    if (killed !== null || index % 2 === 0) return await survivor.report(token);
    try {
      return await doomed.report(token, 10_000, 2_000, adsCall(Date.now() + 5_000));
    } catch (error) {
      if (!isServiceError(error)) throw error;
      tally.sentAgain += 1;
      return await survivor.report(token);
    }
  };
  const caller = async (): Promise<void> => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      const answer = await report(...next);
      tally[answer.recorded ? "recorded" : "replayed"] += 1;
      tally.charged += answer.chargedMinor;
      answered += 1;
      if (killed === null && answered >= tokens.length / 2) killed = doomed.kill();
    }
  };
  await Promise.all(Array.from({ length: callers }, caller));
  await killed;
  return tally;
}

describe("two replicas, one of which is killed under load", () => {
  let mongo: TestMongo;
  let env: Record<string, string>;
  let survivor: AdsProcess;
  beforeAll(async () => {
    mongo = await startTestMongo();
    env = adsEnvironment(mongo);
    survivor = await spawnAdsServer(env);
  });
  afterAll(async () => {
    await survivor.kill();
    await mongo.close();
  });

  it.each([137, 10_000])("charges exactly floor(n × 250 / 1000) for %i impressions at a CPM of 250", async (n) => {
    const doomed = await spawnAdsServer(env);
    const campaignId = await survivor.createCampaign({ cpmMinor: 250, budgetMinor: 1_000_000 });
    const tokens = await survivor.decide(campaignId, n);
    const tally = await reportAll(tokens, survivor, doomed);
    const chargedMinor = Math.floor((n * 250) / 1000);
    expect(await survivor.campaign(campaignId)).toEqual({ status: "active", impressions: n, chargedMinor });
    expect(await survivor.verify(campaignId)).toMatchObject({
      valid: true,
      impressions: BigInt(n),
      chargedMinor: BigInt(chargedMinor),
    });
    // The responses and the ledger may differ only in impressions that the killed replica recorded without sending a
    // response.
    expect(tally.recorded + tally.replayed).toBe(n);
    expect(tally.replayed).toBeLessThanOrEqual(tally.sentAgain);
    expect(tally.charged <= BigInt(chargedMinor)).toBe(true);
    expect(BigInt(chargedMinor) - tally.charged <= BigInt(tally.replayed)).toBe(true);
  });

  it("charges exactly the budget when one of two replicas is killed", async () => {
    const doomed = await spawnAdsServer(env);
    const campaignId = await survivor.createCampaign({ cpmMinor: 250, budgetMinor: 300 });
    const tokens = await survivor.decide(campaignId, 2_000);
    const tally = await reportAll(tokens, survivor, doomed);
    expect(await survivor.campaign(campaignId)).toEqual({ status: "exhausted", impressions: 2_000, chargedMinor: 300 });
    expect(await survivor.verify(campaignId)).toMatchObject({ valid: true, impressions: 2_000n, chargedMinor: 300n });
    expect(tally.charged <= 300n).toBe(true);
  });
});
