import { gatewayNodeArguments } from "@platform/stack/components";
import { freePort } from "../nginx.ts";
import type { Platform } from "../platform.ts";
import { startServer, startUntilReady } from "../processes.ts";
import type { Bench } from "../row.ts";
import { authorized, eventBody, httpContender } from "./http-contenders.ts";

/** A gateway whose events-svc answers at once and keeps nothing: what is measured is then the gateway. */
export type GatewayAlone = { readonly port: number; readonly eventsAddress: string };

/**
 * Starts a third gateway of the platform in front of a service that only answers. It ends with the row.
 * @param env settings of its own
 */
export async function startGatewayAlone(
  bench: Bench,
  platform: Platform,
  env: Readonly<Record<string, string>> = {},
): Promise<GatewayAlone> {
  const events = await startServer("./servers/domain-event-echo.ts", { place: "stores" });
  bench.defer(events.stop);
  const [port, internalPort] = [await freePort(), await freePort()];
  const eventsAddress = `127.0.0.1:${events.port}`;
  const gateway = await startUntilReady("../../../apps/gateway/src/main.ts", {
    place: "measured",
    nodeArguments: gatewayNodeArguments,
    env: {
      ...platform.stack.settings,
      GATEWAY_PORT: `${port}`,
      GATEWAY_INTERNAL_PORT: `${internalPort}`,
      EVENTS_GRPC: eventsAddress,
      ...env,
    },
    isReady: () =>
      fetch(`http://127.0.0.1:${internalPort}/readyz`).then(
        (response) => response.ok,
        () => false,
      ),
  });
  bench.defer(gateway.stop);
  // The other gateways have run for a while; this one is compiled while it is first used.
  await httpContender(bench, {
    name: "",
    role: "ours",
    port,
    connections: 32,
    path: "/api/v1/domain-events",
    headers: authorized(platform),
    body: eventBody,
    idempotencyKey: "fresh",
  }).run(3_000);
  return { port, eventsAddress };
}
