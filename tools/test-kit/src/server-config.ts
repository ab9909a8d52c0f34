import { randomBytes } from "node:crypto";
import { defineServiceConfig } from "@platform/kit/service/config";

/** Reads the configuration of a service that has no settings of its own and takes free ports. */
export const { readServerConfig } = defineServiceConfig({
  database: "x",
  ports: { grpc: 0, serverProbes: 0, workerProbes: 0 },
  env: {},
  settings: () => ({}),
});

/** The break-glass token of `serverConfigOf`. */
export const operatorToken = "x".repeat(32);

/**
 * Creates the configuration of such a service with a MongoDB, a database and a key of its own. Nothing listens at the address of its Redis.
 * @param env variables that are added or replaced
 */
export function serverConfigOf({ uri }: { readonly uri: string }, env: Readonly<Record<string, string>> = {}) {
  return readServerConfig({
    MONGODB_URI: uri,
    MONGODB_DATABASE: `x_${randomBytes(4).toString("hex")}`,
    REDIS_URL: "redis://127.0.0.1:1",
    SERVICE_KEY: randomBytes(32).toString("base64"),
    OPERATOR_TOKEN: operatorToken,
    ...env,
  });
}
