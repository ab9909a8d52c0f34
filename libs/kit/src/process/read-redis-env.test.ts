import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { z } from "zod";
import { readEnv, redisEnv, redisSettings } from "./read-env.ts";

const settingsOf = (env: Record<string, string>) => redisSettings(readEnv(z.object(redisEnv), env));
const read = (env: Record<string, string>) => {
  const { readCa, ...settings } = settingsOf(env);
  return { ...settings, ca: readCa === null ? null : readCa() };
};
const folder = mkdtempSync(join(tmpdir(), "redis-ca-"));
const file = (name: string, text: string): string => {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
};
const pem = "-----BEGIN CERTIFICATE-----\nMA==\n-----END CERTIFICATE-----\n";

test.each([
  ["one Redis", { REDIS_URL: "redis://user:pass@host/2" }, { urls: ["redis://user:pass@host/2"] }],
  ["a Cluster", { REDIS_URL: "redis://a:1, redis://b:2" }, { urls: ["redis://a:1", "redis://b:2"] }],
  [
    "Sentinel",
    { REDIS_URL: "redis://x", REDIS_SENTINELS: "a:1,redis://u:p@b:2,[::1]:3", REDIS_MASTER: "m" },
    { urls: ["redis://x"], sentinels: ["a:1", "redis://u:p@b:2", "[::1]:3"], master: "m" },
  ],
  [
    "a CA of its own",
    { REDIS_URL: "rediss://x", REDIS_CA_FILE: file("ca.pem", pem) },
    { urls: ["rediss://x"], ca: pem },
  ],
])("reads the Redis settings of %s", (_name, env, settings) => {
  expect(read(env)).toEqual({ sentinels: [], master: null, ca: null, ...settings });
});

test.each([
  ["REDIS_URL", {}],
  ["REDIS_URL", { REDIS_URL: "http://host" }],
  ["REDIS_URL", { REDIS_URL: "redis://" }],
  ["REDIS_URL", { REDIS_URL: "redis://a,,redis://b" }],
  ["REDIS_URL", { REDIS_URL: "redis://a,rediss://b" }],
  ["REDIS_SENTINELS", { REDIS_URL: "redis://a", REDIS_SENTINELS: "a:1,http://b", REDIS_MASTER: "m" }],
  ["REDIS_MASTER", { REDIS_URL: "redis://a", REDIS_SENTINELS: "a:1" }],
  ["REDIS_SENTINELS", { REDIS_URL: "redis://a", REDIS_MASTER: "m" }],
  ["REDIS_CA_FILE", { REDIS_URL: "rediss://a", REDIS_CA_FILE: join(folder, "absent.pem") }],
  ["REDIS_CA_FILE", { REDIS_URL: "rediss://a", REDIS_CA_FILE: file("empty.pem", "") }],
  ["REDIS_CA_FILE", { REDIS_URL: "redis://a", REDIS_CA_FILE: file("plain.pem", pem) }],
])("refuses to start and names %s on one line: %j", (name, env: Record<string, string>) => {
  expect(() => read(env)).toThrow(new RegExp(`^bad configuration\n  [^\n]*${name}[^\n]*$`));
});

test("reads REDIS_CA_FILE again for each connection, and keeps the last valid text", () => {
  const path = file("rotated.pem", pem);
  const { readCa } = settingsOf({ REDIS_URL: "rediss://x", REDIS_CA_FILE: path });
  const rotated = pem.replace("MA==", "MQ==");
  writeFileSync(path, rotated);
  expect(readCa?.()).toBe(rotated);
  writeFileSync(path, "");
  expect(readCa?.()).toBe(rotated);
  rmSync(path);
  expect(readCa?.()).toBe(rotated);
});
