import { Counter, Registry } from "@prometheus-io/client";
import { afterEach, describe, expect, test } from "vitest";
import { createHealth, type Health, type ProbeServer, serveProbes } from "./health.ts";

let probes: ProbeServer;
afterEach(() => probes.close());

async function serve(prepare: (health: Health) => void, registry = new Registry()) {
  const health = createHealth();
  prepare(health);
  probes = await serveProbes({ host: "127.0.0.1", port: 0, health, registry });
  const get = async (path: string, headers: Record<string, string> = {}) => {
    const response = await fetch(`http://127.0.0.1:${probes.port}${path}`, { headers });
    return { status: response.status, text: await response.text() };
  };
  return { health, get };
}

describe("readiness", () => {
  test("stays ready while a dependency fails, and names that dependency", async () => {
    const { health, get } = await serve((one) => {
      one.addCheck("redis", () => Promise.reject(new Error("gone")));
      one.addCheck("mongodb", () => true);
      one.setServing(true);
    });
    expect(await get("/readyz")).toEqual({ status: 200, text: "ok\nredis: unavailable\n" });
    expect(await health.failing()).toEqual(["redis"]);
  });

  test("reports the error of a dependency that responds but rejects commands", async () => {
    const { health, get } = await serve((one) => {
      one.addCheck("redis", () => "READONLY You can't write against a read only replica.");
      one.setServing(true);
    });
    const text = "ok\nredis: READONLY You can't write against a read only replica.\n";
    expect(await get("/readyz")).toEqual({ status: 200, text });
    expect(await health.failing()).toEqual(["redis"]);
    expect((await get("/metrics")).text).toContain('platform_dependency_up{dependency="redis"} 0');
  });

  test("reports not ready before the process serves and once it is stopping", async () => {
    const { health, get } = await serve(() => {});
    expect(await get("/readyz")).toEqual({ status: 503, text: "not ready: process\n" });
    health.setServing(true);
    expect((await get("/readyz")).status).toBe(200);
    health.setServing(false);
    expect((await get("/readyz")).status).toBe(503);
  });

  test("responds in time while a check hangs", async () => {
    const { get } = await serve((one) => {
      one.addCheck("mongodb", () => new Promise(() => {}));
      one.setServing(true);
    });
    expect(await get("/readyz")).toEqual({ status: 200, text: "ok\nmongodb: unavailable\n" });
  });
});

test("exports each dependency as a metric", async () => {
  const { get } = await serve((one) => {
    one.addCheck("redis", () => false);
    one.addCheck("mongodb", () => true);
    one.setServing(true);
  });
  const { text } = await get("/metrics");
  expect(text).toContain('platform_dependency_up{dependency="redis"} 0');
  expect(text).toContain('platform_dependency_up{dependency="mongodb"} 1');
});

test.each(["/livez", "/readyz", "/metrics"])("ignores the query string of %s", async (path) => {
  const { get } = await serve((one) => one.setServing(true));
  expect((await get(`${path}?probe=1`)).status).toBe(200);
});

test("writes metrics in the format that Accept requests, even for concurrent scrapers", async () => {
  const registry = new Registry();
  new Counter({ name: "requests_total", help: "Requests.", registers: [registry] }).inc();
  const { get } = await serve((one) => one.addCheck("redis", () => true), registry);
  const asked = [
    "application/openmetrics-text;version=1.0.0,text/plain;version=0.0.4;q=0.5",
    "text/plain",
    "application/openmetrics-text",
    "*/*",
  ];
  const answers = await Promise.all(asked.map((accept) => get("/metrics", { accept })));
  expect(answers.map(({ text }) => text.trimEnd().endsWith("# EOF"))).toEqual([true, false, true, false]);
  for (const { text } of answers) expect(text).toMatch(/^requests_total 1$/m);
});
