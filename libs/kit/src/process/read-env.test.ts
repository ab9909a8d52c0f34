import { expect, test } from "vitest";
import { z } from "zod";
import { envFields, mongoEnv, mongoSettings, readEnv } from "./read-env.ts";

const read = (env: NodeJS.ProcessEnv) => mongoSettings(readEnv(z.object(mongoEnv("events")), env));
const uri = "mongodb://127.0.0.1:27017";

test("names the database after the service, preceded by the stack's prefix", () => {
  expect(read({ MONGODB_URI: uri })).toEqual({ uri, database: "events", autoIndex: true });
  expect(read({ MONGODB_URI: uri, MONGODB_DATABASE_PREFIX: "" }).database).toBe("events");
  expect(read({ MONGODB_URI: uri, MONGODB_DATABASE_PREFIX: "staging_" }).database).toBe("staging_events");
  expect(read({ MONGODB_URI: uri, MONGODB_DATABASE_PREFIX: "b-", MONGODB_DATABASE: "log" }).database).toBe("b-log");
});

test("refuses a prefix that is not allowed in database names", () => {
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
  "refuses to start in %s if a setting is missing that is optional only in development",
  (environment) => {
    const missing = `TRUSTED_PROXIES: is required in ${environment}: the proxies in front, or none`;
    expect(() => readProxied({ DEPLOYMENT_ENVIRONMENT: environment })).toThrow(missing);
    expect(() => readProxied({ DEPLOYMENT_ENVIRONMENT: environment, TRUSTED_PROXIES: "" })).toThrow(missing);
    expect(readProxied({ DEPLOYMENT_ENVIRONMENT: environment, TRUSTED_PROXIES: "none" }).TRUSTED_PROXIES).toEqual([]);
  },
);

test("starts without these settings in development, which is the default environment", () => {
  expect(readProxied({}).TRUSTED_PROXIES).toBeNull();
  expect(readProxied({ DEPLOYMENT_ENVIRONMENT: "development" }).TRUSTED_PROXIES).toBeNull();
});

test("reports missing variables, malformed variables and an unknown environment together", () => {
  expect(() => readProxied({ DEPLOYMENT_ENVIRONMENT: "production", PORT: "x" })).toThrow(
    /PORT: .*\n {2}TRUSTED_PROXIES/,
  );
  expect(() => readProxied({ DEPLOYMENT_ENVIRONMENT: "prod" })).toThrow(/DEPLOYMENT_ENVIRONMENT/);
});
