import { expect, test } from "vitest";
import { envOfParts } from "./part-env.ts";

const parts = ["gateway", "events-svc", "events-svc-worker", "ads-svc"];

test("passes the variables without a prefix to every part, and overrides them by those of its service and its own", () => {
  const env = {
    LOG_LEVEL: "info",
    EVENTS_SVC__LOG_LEVEL: "warn",
    EVENTS_SVC__SERVICE_KEY: "of events",
    EVENTS_SVC_WORKER__LOG_LEVEL: "debug",
  };
  expect(envOfParts(env, parts)).toEqual([
    { LOG_LEVEL: "info" },
    { LOG_LEVEL: "warn", SERVICE_KEY: "of events" },
    { LOG_LEVEL: "debug", SERVICE_KEY: "of events" },
    { LOG_LEVEL: "info" },
  ]);
});

test("passes a port without a prefix to the first part, and a port of a service to its server", () => {
  const env = { PROBE_PORT: "8081", EVENTS_SVC__PROBE_PORT: "9001", EVENTS_SVC__GRPC_PORT: "9000" };
  expect(envOfParts(env, parts)).toEqual([{ PROBE_PORT: "8081" }, { PROBE_PORT: "9001", GRPC_PORT: "9000" }, {}, {}]);
});

test("passes the variables of a service and its own to each further process of the service", () => {
  const env = { NOTIFY_SVC__SERVICE_KEY: "of notify", NOTIFY_SVC_BOUNCES__PROBE_PORT: "8082", PROBE_PORT: "8081" };
  expect(envOfParts(env, ["notify-svc", "notify-svc-bounces"])).toEqual([
    { SERVICE_KEY: "of notify", PROBE_PORT: "8081" },
    { SERVICE_KEY: "of notify", PROBE_PORT: "8082" },
  ]);
});

test("assigns a worker its own port", () => {
  const env = { PROBE_PORT: "8081", EVENTS_SVC_WORKER__PROBE_PORT: "8082" };
  expect(envOfParts(env, ["events-svc", "events-svc-worker"])).toEqual([
    { PROBE_PORT: "8081" },
    { PROBE_PORT: "8082" },
  ]);
});

test("hides the secrets of one service from the others", () => {
  const seen = JSON.stringify(envOfParts({ EVENTS_SVC__SERVICE_KEY: "secret" }, parts)[3]);
  expect(seen).toBe("{}");
});

test.each(["FILES_SVC__SERVICE_KEY", "EVENT_SVC__LOG_LEVEL", "FILES_SVC_WORKER__PROBE_PORT"])(
  "names %s when the process has no such part",
  (name) => {
    expect(() => envOfParts({ [name]: "x" }, parts)).toThrow(
      `bad configuration\n  ${name}: this process has no such part, only gateway, events-svc, events-svc-worker, ads-svc`,
    );
  },
);

test("refuses one database for several services, and accepts it for a single service", () => {
  expect(() => envOfParts({ MONGODB_DATABASE: "x" }, parts)).toThrow("bad configuration\n  MONGODB_DATABASE");
  expect(envOfParts({ MONGODB_DATABASE: "x" }, ["ads-svc", "ads-svc-worker"])).toEqual([
    { MONGODB_DATABASE: "x" },
    { MONGODB_DATABASE: "x" },
  ]);
});
