import { afterAll, beforeAll, expect, test } from "vitest";
import { startAdsFixture } from "./ads-fixture.ts";

let fixture: Awaited<ReturnType<typeof startAdsFixture>>;
beforeAll(async () => {
  fixture = await startAdsFixture();
});
afterAll(() => fixture.close());

test("returns dependency_unavailable while the store fails, and records the repeated impression once", async () => {
  const { ads, mongo } = fixture;
  const [token = ""] = await ads.decide(await ads.createCampaign({ cpmMinor: 1_000, budgetMinor: 1_000 }), 1);
  mongo.fail({ command: "insert", code: 1, message: "deadlock detected", times: 1_000 });
  await expect(ads.report(token)).rejects.toMatchObject({ code: "dependency_unavailable", retryAfterSeconds: 1 });
  mongo.fail({ command: "insert", code: 1, message: "deadlock detected", times: 1, isDone: true });
  expect(await ads.report(token)).toMatchObject({ recorded: true });
  expect(await ads.report(token)).toMatchObject({ recorded: false });
});
