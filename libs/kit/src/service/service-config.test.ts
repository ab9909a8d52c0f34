import { expect, test } from "vitest";
import { z } from "zod";
import { defineServiceConfig } from "./service-config.ts";

const { readServerConfig, readWorkerConfig } = defineServiceConfig({
  database: "orders",
  ports: { grpc: 9000, http: 9001, serverProbes: 9002, workerProbes: 9003 },
  env: { ORDERS_MAX: z.coerce.number().int().default(5) },
  settings: (env) => ({ ordersMax: env.ORDERS_MAX }),
});

const env = {
  MONGODB_URI: "mongodb://127.0.0.1:27017",
  SERVICE_KEY: Buffer.alloc(32).toString("base64"),
  OPERATOR_TOKEN: "x".repeat(32),
};

test("reads the settings that all services share and those of this service", () => {
  expect(readServerConfig({ ...env, ORDERS_MAX: "7" })).toMatchObject({
    ordersMax: 7,
    grpcPort: 9000,
    httpPort: 9001,
    probePort: 9002,
    mongo: { database: "orders", autoIndex: true },
    redis: { urls: ["redis://127.0.0.1:8101"] },
  });
});

test("gives a worker its own probe port, and no operator token", () => {
  const { OPERATOR_TOKEN: _, ...workerEnv } = env;
  const config = readWorkerConfig(workerEnv);
  expect(config).toMatchObject({ ordersMax: 5, probePort: 9003 });
  expect(config).not.toHaveProperty("operatorToken");
});

test("reports every invalid variable in one error, including the service's own", () => {
  const read = () => readServerConfig({ ...env, GRPC_PORT: "70000", SERVICE_KEY: "short", ORDERS_MAX: "many" });
  for (const name of ["GRPC_PORT", "SERVICE_KEY", "ORDERS_MAX"]) expect(read).toThrow(name);
});
