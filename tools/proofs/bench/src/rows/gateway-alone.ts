import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { freePort } from "@platform/test-kit/free-port";
import { benchProgram, nodeArgumentsOf } from "../checkout/version.ts";
import type { Platform } from "../platform.ts";
import { startScript, startServer, stopProcess } from "../processes.ts";
import type { Bench } from "../row.ts";
import { httpLoad, publishing } from "./contenders.ts";

/**
 * Starts another gateway of the platform's version in front of a service that responds immediately, and warms it up. It
 * is stopped at the end of the row.
 */
export async function startGatewayAlone(bench: Bench, platform: Platform): Promise<number> {
  const { root } = platform.version;
  const nodeArguments = await nodeArgumentsOf(platform.version);
  const echo = benchProgram(root, "src/servers/domain-event-echo.ts");
  const events = await startServer(echo, { place: "stores", nodeArguments: nodeArguments.server });
  bench.defer(events.stop);
  const [port, internalPort] = [await freePort(), await freePort()];
  const env = {
    ...platform.stack.settings,
    GATEWAY_PORT: `${port}`,
    GATEWAY_INTERNAL_PORT: `${internalPort}`,
    EVENTS_GRPC: `127.0.0.1:${events.port}`,
  };
  const options = { place: "measured", nodeArguments: nodeArguments.gateway, env } as const;
  const gateway = startScript(join(root, "apps/gateway/src/main.ts"), options, "ignore");
  bench.defer(() => stopProcess(gateway));
  const isReady = (): Promise<boolean> =>
    fetch(`http://127.0.0.1:${internalPort}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    );
  for (const untilMs = performance.now() + 30_000; !(await isReady()); await delay(50)) {
    if (performance.now() > untilMs) throw new Error("the gateway did not become ready");
  }
  // The platform's own gateway has already compiled its code; this one compiles it during the first requests.
  await bench.generator.run("http", { ...httpLoad(publishing(platform, port)), durationMs: 3_000 });
  return port;
}
