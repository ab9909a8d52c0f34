import type { ServerResponse } from "node:http";
import { eventually } from "@platform/test-kit/eventually";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { operatorCall } from "./fixture.ts";
import { type ScheduleBed, startScheduleBed } from "./schedule-fixture.ts";

let bed: ScheduleBed;
let clientId: string;

beforeAll(async () => {
  bed = await startScheduleBed();
});
beforeEach(async () => {
  clientId = await bed.identity.createClient();
  bed.target.answerWith((_, response) => void response.end("ok"));
});
afterAll(() => bed.close());

test("limits a silent target to four calls, without delaying other targets or clients", async () => {
  const held: ServerResponse[] = [];
  bed.target.answerWith(({ path }, response) => {
    if (path.startsWith("/silent")) held.push(response);
    else response.end("ok");
  });
  const silent = await bed.register(clientId, { url: `${bed.target.url}/silent/${clientId}` });
  await Promise.all(Array.from({ length: 40 }, () => bed.invoke(silent)));
  await eventually(() => bed.target.arrivalsAt(`/silent/${clientId}`).length >= 4);
  const other = await bed.register(clientId);
  const stranger = await bed.register(await bed.identity.createClient());
  await Promise.all([...Array.from({ length: 20 }, () => bed.invoke(other)), bed.invoke(stranger)]);
  await eventually(async () => (await bed.runsOf(other)).every(({ status }) => status === "succeeded"));
  await bed.runWhen(stranger, ({ status }) => status === "succeeded");
  expect(bed.target.arrivalsAt(`/silent/${clientId}`)).toHaveLength(4);
  bed.target.answerWith((_, response) => void response.end("ok"));
  for (const response of held) response.end();
});

test("makes at most four concurrent calls to a target that responds quickly, for which more runs are claimed", async () => {
  const [runs, respondAfterMs] = [80, 5];
  let inProgress = 0;
  const seen: number[] = [];
  bed.target.answerWith(({ path }, response) => {
    if (path !== `/${clientId}`) return void response.end("ok");
    inProgress += 1;
    seen.push(inProgress);
    setTimeout(() => {
      inProgress -= 1;
      response.end("ok");
    }, respondAfterMs);
  });
  const id = await bed.register(clientId);
  await Promise.all(Array.from({ length: runs }, () => bed.invoke(id)));
  await eventually(() => seen.length === runs);
  expect(Math.max(...seen)).toBe(4);
});

test("stops calling an operation once it is disabled", async () => {
  const id = await bed.register(clientId);
  for (let round = 0; round < 3; round += 1) {
    const invocation = await bed.invoke(id);
    await bed.runWhen(id, (run) => run.id === invocation && run.status === "succeeded");
  }
  bed.target.answerSequence(`/${clientId}`, { status: 503, headers: { "retry-after": "5" } });
  const last = await bed.invoke(id);
  await bed.runWhen(id, (run) => run.id === last && run.attempts.length === 1);
  await bed.server.scheduleAdmin.disableScheduledOperation({ operationId: id }, operatorCall());
  bed.advance(10);
  await bed.runWhen(id, (run) => run.id === last && run.status === "skipped");
  expect(bed.target.arrivalsAt(`/${clientId}`)).toHaveLength(4);
});
