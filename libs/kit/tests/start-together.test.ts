import { randomBytes } from "node:crypto";
import { createServer } from "node:net";
import { freePort } from "@platform/test-kit/free-port";
import { startTestMongo, type TestMongo } from "@platform/test-kit/mongo";
import { operatorToken, readServerConfig } from "@platform/test-kit/server-config";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Part } from "../src/process/part.ts";
import { startTogether } from "../src/process/start-together.ts";
import { startService } from "../src/service/start-service.ts";

let mongo: TestMongo;
beforeAll(async () => {
  mongo = await startTestMongo();
});
afterAll(() => mongo.close());

/** Starts a real service without RPCs, which appends its steps to `seen`. */
function serviceNamed(name: string, seen: string[]): Part {
  return {
    name,
    // As in a real app, an invalid variable throws synchronously, before there is a promise.
    start: (env, overrides) => serve(readServerConfig(env), overrides),
  };
  async function serve(config: ReturnType<typeof readServerConfig>, overrides: Parameters<Part["start"]>[1]) {
    const service = await startService({
      name,
      config,
      overrides,
      openStores: () => undefined,
      wire: ({ onClose }) => {
        onClose(() => void seen.push(`${name} closes`));
        return { grpc: [] };
      },
    });
    seen.push(`${name} serves`);
    return service;
  }
}

const prefixOf = (name: string): string => `${name.toUpperCase().replaceAll("-", "_")}__`;

async function envOf(...names: readonly string[]): Promise<Record<string, string>> {
  const env: Record<string, string> = {
    MONGODB_URI: mongo.uri,
    MONGODB_DATABASE_PREFIX: `${randomBytes(4).toString("hex")}_`,
    REDIS_URL: "redis://127.0.0.1:1",
    OPERATOR_TOKEN: operatorToken,
    LOG_LEVEL: "silent",
  };
  for (const name of names) {
    env[`${prefixOf(name)}SERVICE_KEY`] = randomBytes(32).toString("base64");
    env[`${prefixOf(name)}MONGODB_DATABASE`] = `together_${name}_${randomBytes(4).toString("hex")}`;
    env[`${prefixOf(name)}PROBE_PORT`] = `${await freePort()}`;
  }
  return env;
}

const metricsOf = async (env: Readonly<Record<string, string>>, name: string): Promise<string> =>
  (await fetch(`http://127.0.0.1:${env[`${prefixOf(name)}PROBE_PORT`]}/metrics`)).text();

test("starts callees before their callers, and stops callers before their callees", async () => {
  const seen: string[] = [];
  const layers = [[serviceNamed("a-svc", seen)], [serviceNamed("b-svc", seen)]];
  const running = await startTogether("both", layers, await envOf("a-svc", "b-svc"));
  running.stopServing();
  await running.close();
  expect(seen).toEqual(["b-svc serves", "a-svc serves", "a-svc closes", "b-svc closes"]);
});

test("keeps a registry for each part, and exports CPU and memory of the process in only one of them", async () => {
  const env = await envOf("a-svc", "b-svc");
  const running = await startTogether("both", [[serviceNamed("a-svc", [])], [serviceNamed("b-svc", [])]], env);
  const [a, b] = await Promise.all([metricsOf(env, "a-svc"), metricsOf(env, "b-svc")]);
  await running.close();
  expect(a).toContain('platform_dependency_up{dependency="mongodb",service="a-svc"} 1');
  expect(b).toContain('platform_dependency_up{dependency="mongodb",service="b-svc"} 1');
  expect(a).not.toContain("b-svc");
  expect(a).toContain("process_resident_memory_bytes");
  expect(b).not.toContain("process_resident_memory_bytes");
});

test("keeps callers not ready until the services that they call are serving", async () => {
  const env = await envOf("a-svc", "b-svc");
  const called = Promise.withResolvers<void>();
  const slow = serviceNamed("b-svc", []);
  const layers = [
    [serviceNamed("a-svc", [])],
    [{ ...slow, start: (...given: Parameters<Part["start"]>) => called.promise.then(() => slow.start(...given)) }],
  ];
  const starting = startTogether("both", layers, env);
  await expect(fetch(`http://127.0.0.1:${env.A_SVC__PROBE_PORT}/readyz`)).rejects.toThrow();
  called.resolve();
  const running = await starting;
  expect((await fetch(`http://127.0.0.1:${env.A_SVC__PROBE_PORT}/readyz`)).status).toBe(200);
  await running.close();
});

test("closes the parts that have started if another one cannot start", async () => {
  const seen: string[] = [];
  const env = await envOf("a-svc", "b-svc");
  const rival = createServer().listen(Number(env.A_SVC__PROBE_PORT), "127.0.0.1");
  const starting = startTogether("both", [[serviceNamed("a-svc", seen)], [serviceNamed("b-svc", seen)]], env);
  await expect(starting).rejects.toThrow(/EADDRINUSE/);
  expect(seen).toEqual(["b-svc serves", "b-svc closes"]);
  rival.close();
});

test("includes the name of a part with an invalid configuration in the error", async () => {
  const env = { ...(await envOf("a-svc", "b-svc")), B_SVC__SERVICE_KEY: "short" };
  const starting = startTogether("both", [[serviceNamed("a-svc", [])], [serviceNamed("b-svc", [])]], env);
  await expect(starting).rejects.toThrow(/^bad configuration of b-svc\n {2}SERVICE_KEY/);
});

test("stops every part even if one of them fails to stop", async () => {
  const seen: string[] = [];
  const stuck: Part = {
    name: "stuck",
    start: async () => ({ stopServing: () => {}, close: () => Promise.reject(new Error("it hangs")) }),
  };
  const running = await startTogether("both", [[stuck], [serviceNamed("b-svc", seen)]], await envOf("b-svc"));
  await expect(running.close()).rejects.toThrow("both did not stop cleanly");
  expect(seen).toEqual(["b-svc serves", "b-svc closes"]);
});
