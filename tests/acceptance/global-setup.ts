import { appendFile, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { serviceNames } from "@platform/contracts/services";
import { platformProcess, readStackProcesses } from "@platform/stack/one-process";
import { freePortBase } from "@platform/stack/ports";
import { runCtl } from "@platform/stack/run-ctl";
import { readEnvFile } from "@platform/stack/settings";
import { startStack } from "@platform/stack/stack";
import { issuePlatformCertificates } from "@platform/test-kit/certificates";
import { startTraceReceiver } from "@platform/test-kit/trace-receiver";
import type { TestProject } from "vitest/node";

/** Facts about the platform under test that the test files need. */
export type ProvidedStack = {
  /** Folder of stack.env and demo.env, from which platformctl reads its settings. */
  readonly directory: string;
  readonly baseUrl: string;
  /** A second gateway in front of the same services, or the first one again if there is only one. */
  readonly secondBaseUrl: string;
  readonly internalUrl: string;
  /** The operator console. */
  readonly consoleUrl: string;
  readonly sinkUrl: string;
  /** Returns the traces of requests to the second gateway; empty without a collector. */
  readonly tracesUrl: string;
  /** The service name in traces of all services, if they share one process. */
  readonly tracedAs: string | null;
  readonly demo: Readonly<Record<string, string>>;
};

declare module "vitest" {
  export interface ProvidedContext {
    stack: ProvidedStack;
  }
}

/**
 * Starts the whole platform once for all acceptance tests, with two gateways and mutual TLS between its processes. With BASE_URL set the tests run against that platform
 * instead; STACK_DIR then names the folder with its stack.env and demo.env.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const given = process.env.BASE_URL;
  if (given !== undefined && given !== "") {
    const directory = process.env.STACK_DIR ?? ".local";
    const demo = readEnvFile(join(directory, "demo.env"));
    const settings = readEnvFile(join(directory, "stack.env"));
    const sinkUrl = settings.SINK_URL ?? "";
    const consoleUrl = `http://127.0.0.1:${Number(settings.STACK_PORT_BASE) + 30}`;
    project.provide("stack", {
      directory,
      baseUrl: given,
      secondBaseUrl: given,
      internalUrl: "",
      consoleUrl,
      sinkUrl,
      tracesUrl: "",
      tracedAs: null,
      demo,
    });
    return async () => {};
  }
  const directory = await mkdtemp(join(tmpdir(), "platform-acceptance-"));
  const traces = await startTraceReceiver();
  const callers = ["gateway", ...serviceNames.map((name) => `${name}-svc`), "operator", "consumer", "console"];
  const tlsOf = await issuePlatformCertificates(join(directory, "tls"), callers);
  let isStopping = false;
  const processes = readStackProcesses(process.env);
  const stack = await startStack({
    directory,
    portBase: await freePortBase(),
    hasSecondGateway: true,
    hasConsole: true,
    processes,
    // All processes know each other by certificate, as in production.
    componentEnv: (name) => tlsOf(name.replace(/(-worker|-bounces)?(-2)?$/, "")),
    // The process that starts a trace decides whether it is recorded. The first gateway never records one, and the
    // second always does.
    env: {
      MONGODB_DATABASE_PREFIX: `${basename(directory)}_`,
      OTEL_EXPORTER_OTLP_ENDPOINT: traces.url,
      OTEL_TRACES_SAMPLER_ARG: "0",
    },
    onUnexpectedExit: (name, how) => {
      if (!isStopping) process.stderr.write(`acceptance stack: ${name} ${how}\n`);
    },
  });
  const operator = Object.entries(tlsOf("operator")).map(([name, path]) => `${name}=${path}\n`);
  await appendFile(join(directory, "stack.env"), operator.join(""));
  await stack.kill("gateway-2", "SIGTERM");
  await stack.start("gateway-2", { OTEL_TRACES_SAMPLER_ARG: "1" });
  await runCtl(directory, ["demo", "seed"]);
  project.provide("stack", {
    directory,
    baseUrl: stack.baseUrl,
    secondBaseUrl: `http://127.0.0.1:${stack.ports.secondGateway}`,
    internalUrl: `http://127.0.0.1:${stack.ports.gatewayInternal}`,
    consoleUrl: `http://127.0.0.1:${stack.ports.console}`,
    sinkUrl: stack.settings.SINK_URL ?? "",
    tracesUrl: traces.url,
    tracedAs: processes === "one" ? platformProcess : null,
    demo: readEnvFile(join(directory, "demo.env")),
  });
  return async () => {
    isStopping = true;
    await stack.stop();
    traces.close();
    if (process.env.KEEP_STACK === undefined) await rm(directory, { recursive: true, force: true });
  };
}
