import { afterAll, beforeAll, expect, test } from "vitest";
import { callLimits } from "../src/worker/runs/claim-runs.ts";
import { type SubscriptionBed, startSubscriptionBed } from "./subscription-fixture.ts";

let bed: SubscriptionBed;

beforeAll(async () => {
  bed = await startSubscriptionBed({}, { limits: { ...callLimits, eventBytes: 6_400_000 } });
});
afterAll(() => bed.close());

test("does not delay a tenant's event while another tenant's slow target has more events than fit into memory", async () => {
  const [slow, other] = [await bed.identity.createClient(), await bed.identity.createClient()];
  const held = new Set<() => void>();
  bed.target.answerWith(({ path }, response) => {
    if (path === `/${slow}`) held.add(() => void response.end("ok"));
    else response.end("ok");
  });
  // Each operation has 16 concurrent calls, so five operations need 8 MB, but the calls may hold only 6.4 MB.
  const operations = await Promise.all(Array.from({ length: 5 }, () => bed.subscribe(slow, { from: 0 })));
  await bed.subscribe(other, { from: 0 });
  const data = "x".repeat(100_000);
  for (let index = 0; index < 16; index += 1) await bed.publish(slow, "big.one", { data });
  await bed.arrived(slow, 60);
  const id = await bed.publish(other, "order.placed", { data });
  await bed.arrived(other, 1);
  expect(bed.eventsAt(other).map((event) => event.id)).toEqual([id]);
  const attempts = await Promise.all(operations.map(({ operationId }) => bed.runsOf(operationId)));
  expect(attempts.flat().flatMap((run) => run.attempts)).toEqual([]);
  for (const answer of held) answer();
});
