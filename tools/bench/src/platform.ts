import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePortBase } from "@platform/stack/ports";
import { runCtl } from "@platform/stack/run-ctl";
import { readEnvFile } from "@platform/stack/settings";
import { type Stack, startStack } from "@platform/stack/stack";
import { pin } from "./processes.ts";

/** The platform under measurement, with a Project Client whose quotas do not stop a load. */
export type Platform = {
  readonly stack: Stack;
  /** Port of the first gateway. */
  readonly port: number;
  readonly secondPort: number;
  readonly projectClientId: string;
  readonly credential: string;
  /** Seeds the demo project when first asked, and says what it wrote. */
  demo(): Promise<Readonly<Record<string, string>>>;
  ctl(args: readonly string[]): Promise<unknown>;
  stop(): Promise<void>;
};

/** More than any run can use; the contract's figures are integers up to 2⁵³. */
const unlimited = "1000000000000";

const resources = ["api_traffic", "events", "deliveries", "scheduled_invocations", "storage_bytes", "audit_retention"];

const scopes = [
  ...["notifications:write", "clients:read", "audit:write", "identity-migrations:write"],
  ...["files:write", "files:read", "events:write", "schedules:write"],
];

async function liftQuotas(ctl: (args: readonly string[]) => Promise<unknown>, clientId: string): Promise<void> {
  for (const resource of resources) {
    await ctl(["quotas", "set", "--client", clientId, "--resource", resource, "--limit", unlimited]);
  }
}

/** A second process of the worker that calls targets; started by who needs it. */
export const secondWorker = "events-svc-worker-2";

/** Starts the platform from nothing in a temporary folder, two gateways, and binds its processes to cores where there are enough. */
export async function startPlatform(): Promise<Platform> {
  const directory = await mkdtemp(join(tmpdir(), "platform-bench-"));
  let isStopping = false;
  const stack = await startStack({
    directory,
    portBase: await freePortBase(),
    hasSecondGateway: true,
    secondWorkers: ["events"],
    env: { NODE_ENV: "production", ...(process.env.BENCH_LOG_LEVEL ? { LOG_LEVEL: process.env.BENCH_LOG_LEVEL } : {}) },
    onUnexpectedExit: (name, how) => {
      if (!isStopping) console.error(`${name} ${how}; its log is ${join(directory, "logs", `${name}.log`)}`);
    },
  });
  // It is there for the row that measures it, and takes no part in the others.
  await stack.kill(secondWorker, "SIGTERM");
  const ctl = (args: readonly string[]): Promise<unknown> => runCtl(directory, args);
  const { id: projectClientId } = (await ctl([
    "clients",
    "create",
    "--name",
    "Bench",
    "--environment",
    "development",
  ])) as {
    id: string;
  };
  await liftQuotas(ctl, projectClientId);
  const { credential } = (await ctl([
    ...["credentials", "issue", "--client", projectClientId, "--scopes", scopes.join(","), "--name", "bench"],
  ])) as { credential: string };
  for (const name of stack.names())
    if (name !== secondWorker) pin(stack.pid(name), name === "gateway" ? "measured" : "stores");
  const seed = async (): Promise<Record<string, string>> => {
    await ctl(["demo", "seed"]);
    const demo = readEnvFile(join(directory, "demo.env"));
    await liftQuotas(ctl, demo.PROJECT_CLIENT_ID ?? "");
    return demo;
  };
  let seeding: Promise<Record<string, string>> | null = null;
  return {
    stack,
    port: stack.ports.gateway,
    secondPort: stack.ports.secondGateway,
    projectClientId,
    credential,
    demo: () => {
      seeding ??= seed();
      return seeding;
    },
    ctl,
    stop: async () => {
      isStopping = true;
      await stack.stop();
      if (process.env.KEEP_STACK === undefined) await rm(directory, { recursive: true, force: true });
    },
  };
}
