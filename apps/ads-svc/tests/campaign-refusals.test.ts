import { connectMongo } from "@platform/kit/store/schema";
import { eventually } from "@platform/test-kit/eventually";
import { startTestIdentity } from "@platform/test-kit/identity";
import { startTestMongo } from "@platform/test-kit/mongo";
import { startTestRedis } from "@platform/test-kit/redis";
import { afterAll, expect, it } from "vitest";
import { createAdsStore } from "../src/store/ads-store.ts";
import { adsCall, startAdsFixture } from "./ads-fixture.ts";

const mongo = await startTestMongo();
const redis = await startTestRedis();
const identity = await startTestIdentity(mongo, redis.url);
const fixture = await startAdsFixture({ REDIS_URL: redis.url, IDENTITY_GRPC: identity.address });
const { ads, time } = fixture;
afterAll(async () => {
  await fixture.close();
  await identity.close();
  await redis.close();
  await mongo.close();
});

const terms = { cpmMinor: 1_000, budgetMinor: 1_000 };
const codeOf = (call: Promise<unknown>): Promise<string> =>
  call.then(
    () => "done",
    (error: { code: string }) => error.code,
  );
/** The rejections that are listed for a campaign, each as `day reason count`. */
const listed = async (campaignId: string, from = ads): Promise<string[]> => {
  const { refusals } = await from.operations.listCampaignRefusals({ campaignId }, adsCall());
  return refusals.map(({ day, reason, count }) => `${day} ${reason} ${count}`);
};
const today = () => new Date(time.nowMs).toISOString().slice(0, 10);
/** Waits for the expected rows, because counts are written only every few seconds. */
const eventuallyListed = (campaignId: string, expected: string[]) =>
  eventually(async () => (await listed(campaignId)).join() === expected.join(), {
    timeoutMs: 20_000,
    everyMs: 250,
    what: expected.join(),
  });

it("lists the rejections of a campaign's impressions by day and reason, without those of another campaign", async () => {
  const clientId = await identity.createClient();
  const campaignId = await ads.createCampaign({ ...terms, projectClientId: clientId });
  const quiet = await ads.createCampaign(terms);
  const [small = "", brief = "", old = "", late = "", seen = "", ...rest] = await ads.decide(campaignId, 60);
  await ads.report(seen);
  expect(await codeOf(ads.report(small, 4_999))).toBe("viewability_not_met");
  expect(await codeOf(ads.report(small, 4_999))).toBe("viewability_not_met");
  expect(await codeOf(ads.report(brief, 10_000, 999))).toBe("viewability_not_met");
  expect(await codeOf(ads.report(old, 10_000, 3_000_000))).toBe("viewability_not_met");
  expect(await ads.report(seen)).toMatchObject({ recorded: false });
  await identity.disableClient(clientId);
  let disabled = 0;
  await eventually(async () => (await codeOf(ads.report(rest.pop() ?? ""))) === "decision_token_invalid");
  disabled += 1;
  await identity.enableClient(clientId);
  await eventually(async () => {
    const isOn = (await codeOf(ads.report(rest[0] ?? ""))) === "done";
    if (!isOn) disabled += 1;
    return isOn;
  });
  await ads.operations.endCampaign({ campaignId }, adsCall());
  await eventually(async () => (await codeOf(ads.report(rest.pop() ?? ""))) === "decision_token_expired");
  const first = today();
  time.nowMs += 86_400_000;
  expect(await codeOf(ads.report(late))).toBe("decision_token_expired");
  // The token is not signed by the platform, so the campaign that it names cannot be trusted.
  expect(await codeOf(ads.report(`${late.slice(0, -4)}AAAA`))).toBe("decision_token_invalid");
  await eventuallyListed(campaignId, [
    `${first} below_threshold 3`,
    `${first} campaign_ended 1`,
    `${first} client_disabled ${disabled}`,
    `${first} impossible_duration 1`,
    `${first} repeated 1`,
    `${today()} token_expired 1`,
  ]);
  expect(await listed(quiet)).toEqual([]);
  await expect(listed("0190a000-0000-7000-8000-00000000c0de")).rejects.toMatchObject({ code: "contract_violation" });
});

it("sums up the rejections of several servers, including those that a stopped server counted", async () => {
  const replica = await fixture.startReplica();
  const campaignId = await ads.createCampaign(terms);
  const [token = ""] = await ads.decide(campaignId, 1);
  for (const server of [ads, replica, replica])
    expect(await codeOf(server.report(token, 0))).toBe("viewability_not_met");
  await replica.stop();
  await eventuallyListed(campaignId, [`${today()} below_threshold 3`]);
});

it("sums the hours of a day, and counts a report once although its response was lost", async () => {
  const connection = await connectMongo({ uri: fixture.mongo.uri, database: fixture.mongo.database });
  const { campaignRefusals } = createAdsStore(connection);
  const of = (hour: string, count: number) => ({ ownerId: "c", kind: "repeated", hour: new Date(hour), count });
  const report = {
    reporterId: "0".repeat(32),
    sequence: 1,
    counts: [of("2026-03-01T00:00:00Z", 1), of("2026-03-01T23:00:00Z", 2), of("2026-03-02T00:00:00Z", 4)],
  };
  await campaignRefusals.record(report);
  await campaignRefusals.record(report);
  const rows = async (since: string) =>
    (await campaignRefusals.list("c", new Date(since))).map(({ day, count }) => [
      day.toISOString().slice(0, 10),
      count,
    ]);
  expect(await rows("2026-03-01T12:00:00Z")).toEqual([
    ["2026-03-01", 3],
    ["2026-03-02", 4],
  ]);
  expect(await rows("2026-03-02T12:00:00Z")).toEqual([["2026-03-02", 4]]);
  await connection.close();
});
