import { operationList } from "@platform/contracts/operations";
import { onlyWith } from "@platform/test-kit/only-with";
import { expect, it } from "vitest";
import { createAdmissionControl } from "../admission-control/admission-control.ts";
import type { GatewayMetrics } from "../gateway-metrics.ts";
import type { LoggedRequest, RequestLog } from "../request-log.ts";
import type { Answer, Exchange } from "./exchange.ts";
import { limitRequests } from "./index.ts";

const client = "0190a000-0000-7000-8000-00000000c0de";
const authorization = "Bearer known";
const operation = operationList.find(({ id }) => id.endsWith("noop"));

/** Creates a gateway that processes one call at a time and queues none. */
function fullGateway() {
  const one = { concurrencyMax: 1, concurrencyShared: 1, inFlightMax: 1, streamsMax: 1, bodyBytesMax: 1 };
  const admission = createAdmissionControl(one);
  const counted: string[] = [];
  const usage = { count: (id: string, kind: string, amount: number) => void counted.push(`${id} ${kind} ${amount}`) };
  const metrics = { requestsShed: onlyWith<GatewayMetrics["requestsShed"]>({ inc: () => {} }) };
  const logged: string[] = [];
  const requestLog = onlyWith<RequestLog>({
    wants: () => true,
    add: (id: string, { code }: LoggedRequest) => void logged.push(`${id} ${code}`),
  });
  const stage = limitRequests(admission, metrics, usage, requestLog);
  const ask = (headers: object): Promise<Answer> => {
    const exchange = {
      request: { headers },
      operation,
      network: "192.0.2.1",
      client: null,
      signal: () => AbortSignal.any([]),
    };
    return stage(exchange as unknown as Exchange, () => new Promise<Answer>(() => {}));
  };
  return { admission, ask, counted, logged };
}

it("counts and logs an overload for the Project Client of a credential that was accepted before, and for no unknown caller", async () => {
  const { admission, ask, counted, logged } = fullGateway();
  admission.remember(authorization, client);
  // Each caller has one call in progress, so its next call is rejected.
  void ask({ authorization });
  void ask({});
  expect(await ask({ authorization })).toMatchObject({ status: 503 });
  expect(await ask({ authorization: "Bearer unknown" })).toMatchObject({ status: 503 });
  expect(counted).toEqual([`${client} refused_overload 1`]);
  expect(logged).toEqual([`${client} dependency_unavailable`]);
});
