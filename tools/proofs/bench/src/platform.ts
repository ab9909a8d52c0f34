import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { freePortBase } from "@platform/stack/ports";
import type { Stack, StackOptions } from "@platform/stack/stack";
import { importFrom, type Version } from "./checkout/version.ts";
import { pin } from "./processes.ts";

/** A running platform to measure, and a Project Client whose quotas do not limit the load. */
export type Platform = {
  readonly version: Version;
  readonly stack: Stack;
  /** Port of the gateway. */
  readonly port: number;
  readonly projectClientId: string;
  readonly credential: string;
  /** Runs platformctl of the version. */
  ctl<T = unknown>(...args: readonly string[]): Promise<T>;
  /** Creates another Project Client and returns its credential. */
  newClient(trafficLimit: number): Promise<{ id: string; credential: string }>;
  /**
   * Sends JSON to the API and returns the data of the response. It repeats the request while a service is not ready.
   */
  request<T = Record<string, string>>(method: "POST" | "PUT", path: string, body: unknown): Promise<T>;
  stop(): Promise<void>;
};

/** More than any run can use. The contract allows integers up to 2⁵³. */
export const unlimited = 1_000_000_000_000;

const resources = ["api_traffic", "events", "deliveries", "scheduled_invocations", "storage_bytes", "audit_retention"];

const scopes = [
  ...["notifications:write", "clients:read", "audit:write", "identity-migrations:write"],
  ...["files:write", "files:read", "events:write", "schedules:write"],
].join(",");

/**
 * Starts the platform of a version by its own local stack, with empty stores in a temporary folder. If there are enough
 * cores, it runs on separate ones.
 * @param settings environment of its processes, for example where files are stored
 * @param options options of its stack, for example a console or one process for all parts
 */
export async function startPlatform(
  version: Version,
  settings: Readonly<Record<string, string>> = {},
  options: Pick<StackOptions, "processes" | "hasConsole"> = {},
): Promise<Platform> {
  type StackModule = typeof import("@platform/stack/stack");
  type CtlModule = typeof import("@platform/stack/run-ctl");
  const { startStack } = await importFrom<StackModule>(version.root, "@platform/stack/stack");
  const { runCtl } = await importFrom<CtlModule>(version.root, "@platform/stack/run-ctl");
  const directory = await mkdtemp(join(tmpdir(), "platform-bench-"));
  let isStopping = false;
  const stack = await startStack({
    ...options,
    directory,
    portBase: await freePortBase(),
    env: {
      NODE_ENV: "production",
      ...(version.prefix === "" ? {} : { MONGODB_DATABASE_PREFIX: "before_" }),
      ...settings,
    },
    onUnexpectedExit: (name, how) => {
      if (!isStopping) console.error(`${name} ${how}; its log is ${join(directory, "logs", `${name}.log`)}`);
    },
  });
  for (const name of stack.names()) pin(stack.pid(name), name === "gateway" ? "measured" : "stores");
  const ctl = async <T>(...args: readonly string[]): Promise<T> => (await runCtl(directory, args)) as T;
  const newClient = async (trafficLimit: number) => {
    const made = await ctl<{ id: string }>("clients", "create", "--name", "Bench", "--environment", "development");
    for (const resource of resources) {
      const limit = resource === "api_traffic" ? trafficLimit : unlimited;
      await ctl("quotas", "set", "--client", made.id, "--resource", resource, "--limit", `${limit}`);
    }
    const issue = ["credentials", "issue", "--client", made.id, "--scopes", scopes, "--name", "bench"];
    return { id: made.id, credential: (await ctl<{ credential: string }>(...issue)).credential };
  };
  const { id: projectClientId, credential } = await newClient(unlimited);
  const request = async <T>(method: string, path: string, body: unknown): Promise<T> => {
    const key = randomUUID();
    for (const untilMs = performance.now() + 30_000; ; await delay(200)) {
      const response = await fetch(`http://127.0.0.1:${stack.ports.gateway}/api/v1${path}`, {
        method,
        headers: {
          authorization: `Bearer ${credential}`,
          "idempotency-key": key,
          "content-type": "application/json",
        },
        body: JSON.stringify(body),
      });
      const text = await response.text();
      if (response.ok) return (JSON.parse(text) as { data: T }).data;
      if (response.status < 500 || performance.now() > untilMs)
        throw new Error(`${path} answered ${response.status}: ${text}`);
    }
  };
  return {
    version,
    stack,
    port: stack.ports.gateway,
    projectClientId,
    credential,
    ctl,
    newClient,
    request,
    stop: async () => {
      isStopping = true;
      await stack.stop();
      await rm(directory, { recursive: true, force: true });
    },
  };
}
