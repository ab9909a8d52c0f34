import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { HealthDay } from "@platform/proto/identity/v1/health_history";
import { expect, it } from "vitest";
import { createHealthHistory } from "./health-history.ts";

const startMs = Date.UTC(2027, 0, 31, 12);
/** No server listens at this address. */
const gatewayUrl = "http://127.0.0.1:9";
const day = { day: "2027-01-30", components: [{ name: "redis", ok: 3, degraded: 2, down: 1 }] } as HealthDay;

it("stores minutes that could not be stored again together with the next ones, and stores no minute twice", async () => {
  const sent: number[][] = [];
  let isAway = true;
  let nowMs = startMs;
  const record = async (minutes: readonly { at: { seconds: bigint } }[]): Promise<void> => {
    sent.push(minutes.map(({ at }) => (Number(at.seconds) * 1000 - startMs) / 60_000));
    if (isAway) throw new Error("no answer");
  };
  const history = createHealthHistory({ record, list: async () => [] }, gatewayUrl, () => {}, {
    wallMs: () => nowMs,
    steadyMs: () => nowMs,
  });
  await expect(history.sample()).rejects.toThrow("no answer");
  nowMs += 60_500;
  isAway = false;
  await history.sample();
  nowMs += 60_000;
  await history.sample();
  expect(sent).toEqual([[0], [0, 1], [2]]);
  expect(await history.present()).toEqual(new Map([["gateway", "down"]]));
});

it("returns 90 days, or the last known ones while they cannot be read, and reads them at most every 10 seconds", async () => {
  let nowMs = startMs;
  let asked = 0;
  const failures: unknown[] = [];
  const list = async (): Promise<readonly HealthDay[]> => {
    asked += 1;
    if (asked > 1) throw new Error("no answer");
    return [day];
  };
  const history = createHealthHistory({ record: async () => {}, list }, gatewayUrl, (error) => failures.push(error), {
    wallMs: () => nowMs,
    steadyMs: () => nowMs,
  });
  for (const wait of [0, 9_000, 2_000]) {
    nowMs += wait;
    const redis = (await history.read()).find(({ name }) => name === "redis");
    expect(redis?.days).toHaveLength(90);
    expect(redis?.days.at(-2)).toEqual({ day: "2027-01-30", minutes: { ok: 3, degraded: 2, down: 1 } });
  }
  expect([asked, failures.length]).toEqual([2, 1]);
});

it("reads days and states again, although the machine's clock was set back by a minute", async () => {
  let steadyMs = 0;
  let wallMs = startMs;
  let asked = 0;
  const list = async (): Promise<readonly HealthDay[]> => {
    asked += 1;
    return [day];
  };
  const history = createHealthHistory({ record: async () => {}, list }, gatewayUrl, () => {}, {
    wallMs: () => wallMs,
    steadyMs: () => steadyMs,
  });
  await history.read();
  const before = history.present();
  wallMs -= 60_000;
  steadyMs += 10_000;
  await history.read();
  expect(asked).toBe(2);
  expect(history.present()).not.toBe(before);
});

it("queries the state of components when a page is opened, but at most once in five seconds", async () => {
  let asked = 0;
  let status = "down";
  const gateway = createServer((_request, response) => {
    asked += 1;
    response.end(JSON.stringify({ data: { components: [{ name: "identity-svc", status }] } }));
  });
  await new Promise<void>((resolve) => gateway.listen(0, "127.0.0.1", resolve));
  let nowMs = startMs;
  const history = createHealthHistory(
    { record: async () => {}, list: async () => [] },
    `http://127.0.0.1:${(gateway.address() as AddressInfo).port}`,
    () => {},
    { wallMs: () => nowMs, steadyMs: () => nowMs },
  );
  await history.sample();
  status = "ok";
  expect((await history.present()).get("identity-svc")).toBe("down");
  nowMs += 5_000;
  const states = await Promise.all([history.present(), history.present()]);
  expect(states.map((each) => each.get("identity-svc"))).toEqual(["ok", "ok"]);
  expect(asked).toBe(2);
  gateway.close();
});
