import { addressVariables } from "@platform/contracts/service-addresses";
import { serviceNames } from "@platform/contracts/services";
import { type Logger, silentLogger } from "@platform/kit/process/telemetry";
import { freePort } from "@platform/test-kit/free-port";
import { readConfig } from "../src/config.ts";
import { createGateway, type Gateway } from "../src/create-gateway.ts";

/** Starts a gateway on its own ports without services, with the given Redis. `env` contains its other settings. */
export async function startLoneGateway(
  redisUrl: string,
  env: NodeJS.ProcessEnv,
  logger: Logger = silentLogger(),
): Promise<Gateway> {
  const nobody = `127.0.0.1:${await freePort()}`;
  const config = readConfig({
    REDIS_URL: redisUrl,
    ...env,
    ...addressVariables("GRPC", serviceNames, () => nobody),
    GATEWAY_PORT: "0",
    GATEWAY_INTERNAL_PORT: "0",
  });
  return createGateway(config, { logger });
}
