import { timestampDate, timestampFromDate } from "@bufbuild/protobuf/wkt";
import { UsageService } from "@platform/proto/identity/v1/usage";
import { MeasurementAdminService } from "@platform/proto/operator/v1/measurement_admin";
import { connectGrpc } from "@platform/service-kit/grpc/connect";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { refusal } from "./migration-steps.ts";
import { callAs, operatorToken, startIdentity, type TestIdentity } from "./start-identity.ts";

let identity: TestIdentity;
let gateway: ReturnType<typeof connectGrpc>;
let operator: ReturnType<typeof connectGrpc>;
beforeAll(async () => {
  identity = await startIdentity();
  const address = `127.0.0.1:${identity.server.grpcPort}`;
  gateway = connectGrpc({ address, tls: null });
  operator = connectGrpc({ address, tls: null, metadata: { authorization: `Bearer ${operatorToken}` } });
});
afterAll(async () => {
  gateway.close();
  operator.close();
  await identity.close();
});

const slotMs = 600_000;
const answers = "platform_http_request_duration_seconds";
const slotAgo = (slots: number): Date => new Date((Math.floor(Date.now() / slotMs) - slots) * slotMs);
type Values = Record<string, number>;
const record = (reporter: string, sequence: number, at: Date, sums: Values, gauges: Values = {}) =>
  gateway.service(UsageService).recordMeasurements(
    {
      reporterId: reporter.repeat(32),
      sequence: BigInt(sequence),
      slots: [{ at: timestampFromDate(at), sums, gauges }],
    },
    callAs(null),
  );
const list = async (name: string, since: Date) => {
  const request = { names: [name], since: timestampFromDate(since) };
  const { slots } = await operator.service(MeasurementAdminService).listMeasurements(request, callAs(null));
  return slots.map(({ at, measurements }) => [
    at === undefined ? null : timestampDate(at).getTime(),
    measurements.map(({ name: _name, $typeName: _type, ...fields }) => fields),
  ]);
};

describe("measurements", () => {
  it("sums what several gateways measured, and counts a repeated report once", async () => {
    const at = slotAgo(20);
    const key = `${answers}|answer=2xx|le_ms=inf`;
    await record("a", 1, at, { [key]: 5 });
    await record("a", 1, at, { [key]: 5 });
    await record("a", 2, at, { [key]: 2 });
    await Promise.all([record("b", 1, at, { [key]: 10 }), record("c", 1, at, { [key]: 10 })]);
    const [slot] = await list(answers, at);
    expect(slot).toEqual([at.getTime(), [{ labels: { answer: "2xx", le_ms: "inf" }, sum: 27 }]]);
  });

  it("keeps the highest and the latest value of a gauge", async () => {
    const [before, at] = [slotAgo(31), slotAgo(30)];
    const key = "platform_redis_memory_used_bytes";
    await record("d", 1, before, {}, { [key]: 1 });
    await record("d", 2, at, {}, { [key]: 7 });
    await record("d", 3, at, {}, { [key]: 3 });
    const slots = await list(key, before);
    expect(slots.slice(0, 2)).toEqual([
      [before.getTime(), [{ labels: {}, peak: 1, latest: 1 }]],
      [at.getTime(), [{ labels: {}, peak: 7, latest: 3 }]],
    ]);
  });

  it("leaves out keys that would change other fields of the document (operator injection)", async () => {
    const at = slotAgo(40);
    await record("e", 1, at, { "x.y": 1, $inc: 1, [`${answers}|answer=5xx`]: 1 });
    expect((await list(answers, at))[0]).toEqual([at.getTime(), [{ labels: { answer: "5xx" }, sum: 1 }]]);
    expect(await refusal(record("$", 1, at, {}))).toBe("contract_violation");
  });

  it("refuses to list measurements of no metric, from too far back, and of what is no Project Client", async () => {
    const admin = operator.service(MeasurementAdminService);
    const ask = (request: object) => refusal(admin.listMeasurements({ names: [answers], ...request }, callAs(null)));
    expect(await ask({})).toBe("let in");
    expect(await ask({ names: [] })).toBe("contract_violation");
    expect(await ask({ since: timestampFromDate(new Date(Date.now() - 40 * 86_400_000)) })).toBe("contract_violation");
    expect(await ask({ projectClientId: "-" })).toBe("project_client_not_found");
  });

  it("reads only the slots it answers", async () => {
    for (let slots = 50; slots < 80; slots += 1) await record("f", slots, slotAgo(slots), {}, { other: 1 });
    const since = slotAgo(1);
    const examined = await identity.mongo.examined("measurements", () => list(answers, since));
    expect(Math.max(...examined)).toBeLessThanOrEqual(3);
  });
});
