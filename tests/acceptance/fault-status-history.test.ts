import { eventually } from "@platform/test-kit/eventually";
import { Redis } from "ioredis";
import { afterAll, beforeAll, test } from "vitest";
import { type OwnStack, startOwnStack } from "./own-stack.ts";

let own: OwnStack;
beforeAll(async () => {
  own = await startOwnStack({}, { hasSecondGateway: false, hasConsole: true });
});
afterAll(() => own?.close());

/** Returns the number of minutes for which the status page counts Redis as ok. */
async function minutesShown(): Promise<number> {
  const html = await (await fetch(`http://127.0.0.1:${own.stack.ports.console}/status`)).text();
  const redis = html.split("<section").find((part) => part.includes("<h2>redis ")) ?? "";
  return [...redis.matchAll(/<td[^>]*>\d{4}-\d\d-\d\d<\/td><td[^>]*>(\d+)<\/td>/g)].reduce(
    (sum, [, ok]) => sum + Number(ok),
    0,
  );
}

test("keeps the days of the status page when Redis is emptied and the console restarts", async () => {
  const waiting = { timeoutMs: 90_000, everyMs: 1_000 };
  await eventually(async () => (await minutesShown()) > 0, { ...waiting, what: "a minute is counted" });
  const redis = new Redis(own.stack.redisUrl);
  await redis.flushall();
  await redis.quit();
  await own.stack.roll("console");
  await eventually(async () => (await minutesShown()) > 0, { ...waiting, what: "the minute is still shown" });
}, 240_000);
