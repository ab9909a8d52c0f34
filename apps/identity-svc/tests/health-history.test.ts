import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { connectGrpc } from "@platform/kit/rpc/client";
import { HealthHistoryService } from "@platform/proto/identity/v1/health_history";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { refusal } from "./migration-steps.ts";
import { callAs, startIdentity, type TestIdentity } from "./start-identity.ts";

let identity: TestIdentity;
let connection: ReturnType<typeof connectGrpc>;
beforeAll(async () => {
  identity = await startIdentity();
  connection = connectGrpc({ address: `127.0.0.1:${identity.server.grpcPort}`, tls: null });
});
afterAll(async () => {
  connection.close();
  await identity.close();
});

const dayMs = 86_400_000;
const startOfDay = (daysAgo: number): number => (Math.floor(Date.now() / dayMs) - daysAgo) * dayMs;
const history = () => connection.service(HealthHistoryService);
const minute = (ms: number, states: Record<string, string>) => ({ at: timestampFromDate(new Date(ms)), states });
const record = (...minutes: ReturnType<typeof minute>[]) => history().recordHealth({ minutes }, callAs(null));
const daysOf = async (name: string) =>
  (await history().listHealthDays({}, callAs(null))).days.flatMap(({ day, components }) =>
    components
      .filter((component) => component.name === name)
      .map(({ ok, degraded, down }) => ({ day, ok, degraded, down })),
  );

describe("the history of the status page", () => {
  it("counts each minute of a component once, for several consoles that report in any order", async () => {
    const ms = startOfDay(3);
    await record(minute(ms + 120_000, { one: "ok" }), minute(ms, { one: "down" }));
    await record(minute(ms, { one: "ok" }), minute(ms + 60_000, { one: "degraded" }));
    await Promise.all([1, 2, 3].map(() => record(minute(ms + 180_999, { one: "ok" }))));
    expect(await daysOf("one")).toEqual([
      { day: new Date(ms).toISOString().slice(0, 10), ok: 2, degraded: 1, down: 1 },
    ]);
  });

  it("lists the last 90 days of the history", async () => {
    await record(minute(startOfDay(89), { two: "ok" }), minute(startOfDay(90), { two: "ok" }));
    expect((await daysOf("two")).map(({ day }) => day)).toEqual([new Date(startOfDay(89)).toISOString().slice(0, 10)]);
  });

  it("refuses unknown states and names (operator injection)", async () => {
    const ms = startOfDay(0);
    expect(await refusal(record(minute(ms, { "a.b": "ok" })))).toBe("contract_violation");
    expect(await refusal(record(minute(ms, { redis: "$fine" })))).toBe("contract_violation");
  });
});
