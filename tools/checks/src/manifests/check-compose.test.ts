import { expect, test } from "vitest";
import { readSource } from "../source-files.ts";
import { checkCompose } from "./check-compose.ts";

const compose = readSource("compose.yaml");

test("compose.yaml as it is has no problems", async () => {
  expect(await checkCompose(compose)).toEqual([]);
});

test.each([
  ["a malformed setting", "nats://nats:4222", "http://nats:4222", /events-svc: .*NATS_URL: must start with/s],
  ["a host that is not there", "redis://redis:6379", "redis://cache:6379", /REDIS_URL names cache, which is not there/],
  [
    "a required setting that is gone",
    "SERVICE_KEY: ${ADS_SERVICE_KEY",
    "SERVICE_KEX: ${ADS_SERVICE_KEY",
    /ads-svc: .*SERVICE_KEY: /s,
  ],
  ["an entry point that is not there", "src/main.ts", "src/start.ts", /gateway: apps\/gateway has no src\/start.ts/],
  [
    "an argument of Node that is gone",
    "--no-parallel-scavenge, ",
    "",
    /gateway: gives Node "--no-all.*", not "--no-parallel/,
  ],
  ["a writable root file system", "read_only: true", "read_only: false", /gateway: may write to its root/],
])("%s is found", async (_what, from, to, problem) => {
  expect(compose).toContain(from);
  expect((await checkCompose(compose.replace(from, to))).join("\n")).toMatch(problem);
});
