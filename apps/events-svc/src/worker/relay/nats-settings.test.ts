import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readEnv } from "@platform/kit/process/env";
import { expect, test } from "vitest";
import { z } from "zod";
import { natsEnv, natsSettings } from "./nats-settings.ts";

const read = (env: Record<string, string>) => natsSettings(readEnv(z.object(natsEnv), env));
const folder = mkdtempSync(join(tmpdir(), "nats-settings-"));
const file = (name: string, text: string): string => {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
};
const pem = "-----BEGIN CERTIFICATE-----\nMA==\n-----END CERTIFICATE-----\n";
const creds = "-----BEGIN NATS USER JWT-----\nx\n------END\n-----BEGIN USER NKEY SEED-----\ny\n------END\n";
const none = { login: null, creds: null, caFile: null, replicas: 1 };

test.each([
  ["one server", { NATS_URL: "nats://a:4222" }, { servers: ["nats://a:4222"] }],
  [
    "three servers",
    { NATS_URL: "tls://a, tls://b,tls://[::1]:1" },
    { servers: ["tls://a", "tls://b", "tls://[::1]:1"] },
  ],
  [
    "user and password",
    { NATS_URL: "nats://a", NATS_USER: "u", NATS_PASSWORD: "p" },
    { servers: ["nats://a"], login: { user: "u", password: "p" } },
  ],
  ["a creds file", { NATS_URL: "nats://a", NATS_CREDS_FILE: file("a.creds", creds) }, { servers: ["nats://a"], creds }],
  [
    "a CA of its own",
    { NATS_URL: "tls://a", NATS_CA_FILE: file("ca.pem", pem) },
    { servers: ["tls://a"], caFile: join(folder, "ca.pem") },
  ],
  ["three replicas", { NATS_URL: "nats://a", NATS_REPLICAS: "3" }, { servers: ["nats://a"], replicas: 3 }],
])("reads the settings for %s", (_name, env, settings) => {
  expect(read(env)).toEqual({ ...none, ...settings });
});

test("reads no settings without NATS_URL", () => {
  expect(read({})).toBeNull();
});

test.each([
  ["NATS_URL", { NATS_URL: "http://a" }],
  ["NATS_URL", { NATS_URL: "nats://" }],
  ["NATS_URL", { NATS_URL: "nats://a,,nats://b" }],
  ["NATS_PASSWORD", { NATS_URL: "nats://a", NATS_USER: "u" }],
  ["NATS_CREDS_FILE", { NATS_URL: "nats://a", NATS_CREDS_FILE: join(folder, "missing") }],
  ["NATS_CREDS_FILE", { NATS_URL: "nats://a", NATS_CREDS_FILE: file("b.creds", "nothing") }],
  [
    "NATS_CREDS_FILE",
    { NATS_URL: "nats://a", NATS_USER: "u", NATS_PASSWORD: "p", NATS_CREDS_FILE: file("c.creds", creds) },
  ],
  ["NATS_CA_FILE", { NATS_URL: "tls://a", NATS_CA_FILE: file("bad.pem", "nothing") }],
  ["NATS_REPLICAS", { NATS_URL: "nats://a", NATS_REPLICAS: "0" }],
  ["NATS_REPLICAS", { NATS_URL: "nats://a", NATS_REPLICAS: "three" }],
])("names the variable %s in the error for the invalid environment %j", (name, env) => {
  expect(() => read(env)).toThrow(new RegExp(`^bad configuration\n.*${name}`));
});
