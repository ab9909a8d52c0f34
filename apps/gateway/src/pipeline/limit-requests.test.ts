import { operationList } from "@platform/contracts/operations";
import { onlyWith } from "@platform/test-kit/only-with";
import { expect, it } from "vitest";
import { createAdmissionControl } from "../admission-control/admission-control.ts";
import type { GatewayMetrics } from "../gateway-metrics.ts";
import type { LoggedRequest, RequestLog } from "../request-log.ts";
import type { Answer, Exchange } from "./exchange.ts";
import { limitRequests } from "./limit-requests.ts";

const client = "0190a000-0000-7000-8000-00000000c0de";
const authorization = "Bearer known";
const operation = operationList.find(({ id }) => id.endsWith("noop"));

/** Limits of a gateway that processes one call at a time and queues none. */
const one = { concurrencyMax: 1, concurrencyShared: 1, inFlightMax: 1, streamsMax: 1, bodyBytesMax: 1 };

/** Creates a gateway. `later` are the stages after admission control. */
function gatewayWith(later: () => Promise<Answer>, isMemoryShort = () => false) {
  const admission = createAdmissionControl(one);
  const counted: string[] = [];
  const usage = { count: (id: string, kind: string, amount: number) => void counted.push(`${id} ${kind} ${amount}`) };
  const shed: unknown[] = [];
  const inc = ((labels: unknown) => void shed.push(labels)) as GatewayMetrics["requestsShed"]["inc"];
  const metrics = { requestsShed: onlyWith<GatewayMetrics["requestsShed"]>({ inc }) };
  const logged: string[] = [];
  const requestLog = onlyWith<RequestLog>({
    wants: () => true,
    add: (id: string, { code }: LoggedRequest) => void logged.push(`${id} ${code}`),
  });
  const stage = limitRequests(admission, metrics, usage, requestLog, isMemoryShort);
  const ask = (headers: object): Promise<Answer> => {
    const exchange = {
      request: { headers },
      operation,
      network: "192.0.2.1",
      client: null,
      signal: () => AbortSignal.any([]),
    };
    return stage(exchange as unknown as Exchange, later);
  };
  return { admission, ask, counted, logged, shed };
}

const answered: Answer = { kind: "body", status: 202, body: "{}" };

it("counts and logs an overload for the Project Client of a credential that was accepted before, and for no unknown caller", async () => {
  const { admission, ask, counted, logged } = gatewayWith(() => new Promise<Answer>(() => {}));
  admission.remember(authorization, client);
  // Each caller has one call in progress, so its next call is rejected.
  void ask({ authorization });
  void ask({});
  expect(await ask({ authorization })).toMatchObject({ status: 503 });
  expect(await ask({ authorization: "Bearer unknown" })).toMatchObject({ status: 503 });
  expect(counted).toEqual([`${client} refused_overload 1`]);
  expect(logged).toEqual([`${client} dependency_unavailable`]);
});

it("rejects claims of keys without a credential while Redis is nearly full (a flood of noops)", async () => {
  const redis = { isShort: false };
  const { admission, ask, counted, logged, shed } = gatewayWith(
    async () => answered,
    () => redis.isShort,
  );
  admission.remember(authorization, client);
  expect(await ask({})).toEqual(answered);
  redis.isShort = true;
  expect(await ask({})).toMatchObject({ status: 503, headers: { "retry-after": "1" } });
  expect(await ask({ authorization: "Bearer unknown" })).toMatchObject({ status: 503 });
  expect(await ask({ authorization })).toEqual(answered);
  expect(shed).toEqual(Array.from({ length: 2 }, () => ({ reason: "redis_memory" })));
  expect([counted, logged]).toEqual([[], []]);
});
