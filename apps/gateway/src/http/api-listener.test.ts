import { once } from "node:events";
import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { operationList } from "@platform/contracts/operations";
import { silentLogger } from "@platform/service-kit/process/logger";
import { expect, test } from "vitest";
import { createGatewayMetrics } from "../gateway-metrics.ts";
import type { Exchange } from "../pipeline/exchange.ts";
import { createApiListener } from "./api-listener.ts";

const operation = operationList.find(({ id }) => id === "identity.getProjectClient") ?? expect.unreachable();

/** Lets a client ask and go away at once; answers its exchange and how often its connection was said to be free for the next request. */
async function askAndLeave(look: (exchange: Exchange) => void) {
  let answered = 0;
  const gone = Promise.withResolvers<Exchange>();
  const listener = createApiListener({
    match: () => ({ kind: "operation", operation, rawParams: {} }),
    door: {
      refuse: () => false,
      refuseEarly: () => null,
      enter: (_response, _operation, _source, { begin }) => begin("a caller"),
      answered: () => {
        answered += 1;
      },
    },
    pipeline: [
      (exchange) => {
        look(exchange);
        exchange.response.once("close", () => gone.resolve(exchange));
        client.destroy();
        return new Promise(() => {});
      },
    ],
    proxyPipeline: [],
    clientAddress: () => "127.0.0.1",
    isDraining: () => false,
    logger: silentLogger(),
    metrics: createGatewayMetrics(),
  });
  const server = createServer((request, response) => listener(request, response, "/project-client"));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const client = connect((server.address() as AddressInfo).port, "127.0.0.1");
  client.write("GET /api/v1/project-client HTTP/1.1\r\nhost: gateway\r\n\r\n");
  const exchange = await gone.promise;
  server.close();
  return { exchange, answered };
}

test("the signal of a request aborts when its client goes away, and its connection is not said to be free", async () => {
  let signal: AbortSignal | null = null;
  const { answered } = await askAndLeave((exchange) => {
    signal = exchange.signal();
    expect(signal.aborted).toBe(false);
  });
  expect(signal).toHaveProperty("aborted", true);
  expect(answered).toBe(0);
});

test("a signal that is asked for when the client has gone away is aborted, and always the same", async () => {
  const { exchange } = await askAndLeave(() => {});
  expect(exchange.signal().aborted).toBe(true);
  expect(exchange.signal()).toBe(exchange.signal());
});
