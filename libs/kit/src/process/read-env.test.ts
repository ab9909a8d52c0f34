import { expect, test } from "vitest";
import { z } from "zod";
import { envFields, mongoEnv, mongoSettings, readEnv } from "./read-env.ts";

const read = (env: NodeJS.ProcessEnv) => mongoSettings(readEnv(z.object(mongoEnv("events")), env));
const uri = "mongodb://127.0.0.1:27017";

test("names the database after the service, with the stack's prefix before it", () => {
  expect(read({ MONGODB_URI: uri })).toEqual({ uri, database: "events", autoIndex: true });
  expect(read({ MONGODB_URI: uri, MONGODB_DATABASE_PREFIX: "" }).database).toBe("events");
  expect(read({ MONGODB_URI: uri, MONGODB_DATABASE_PREFIX: "staging_" }).database).toBe("staging_events");
  expect(read({ MONGODB_URI: uri, MONGODB_DATABASE_PREFIX: "b-", MONGODB_DATABASE: "log" }).database).toBe("b-log");
});

test("refuses a prefix that database names cannot have", () => {
  for (const prefix of ["a.b", "a/b", "a b", "$", "x".repeat(41)])
    expect(() => read({ MONGODB_URI: uri, MONGODB_DATABASE_PREFIX: prefix })).toThrow("MONGODB_DATABASE_PREFIX");
});

const proxied = z.object({
  DEPLOYMENT_ENVIRONMENT: envFields.deploymentEnvironment,
  TRUSTED_PROXIES: envFields.trustedProxies,
  PORT: envFields.port(1),
});
const readProxied = (env: NodeJS.ProcessEnv) =>
  readEnv(proxied, env, { TRUSTED_PROXIES: "the proxies in front, or none" });

test.each(["staging", "production"])(
  "refuses to start in %s without settings that are optional only in development",
  (environment) => {
    const missing = `TRUSTED_PROXIES: is required in ${environment}: the proxies in front, or none`;
    expect(() => readProxied({ DEPLOYMENT_ENVIRONMENT: environment })).toThrow(missing);
    expect(() => readProxied({ DEPLOYMENT_ENVIRONMENT: environment, TRUSTED_PROXIES: "" })).toThrow(missing);
    expect(readProxied({ DEPLOYMENT_ENVIRONMENT: environment, TRUSTED_PROXIES: "none" }).TRUSTED_PROXIES).toEqual([]);
  },
);

test("starts without them in development, which is the default", () => {
  expect(readProxied({}).TRUSTED_PROXIES).toBeNull();
  expect(readProxied({ DEPLOYMENT_ENVIRONMENT: "development" }).TRUSTED_PROXIES).toBeNull();
});

test("names a missing variable together with the malformed ones, and an unknown environment", () => {
  expect(() => readProxied({ DEPLOYMENT_ENVIRONMENT: "production", PORT: "x" })).toThrow(
    /PORT: .*\n {2}TRUSTED_PROXIES/,
  );
  expect(() => readProxied({ DEPLOYMENT_ENVIRONMENT: "prod" })).toThrow(/DEPLOYMENT_ENVIRONMENT/);
});
