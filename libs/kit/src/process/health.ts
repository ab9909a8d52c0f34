import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { Gauge, Registry, type RegistryContentType } from "@prometheus-io/client";
import { httpServerOptions, limitConnections } from "./http-limits.ts";
import { shareProbe } from "./share-probe.ts";

/** Result of a dependency's check: true if it works, false if it does not respond, otherwise its error text. */
export type CheckResult = boolean | string;

/**
 * State of a process and of its dependencies. Readiness depends only on the process itself. If it depended on other
 * systems, the failure of a dependency that all replicas share would remove every replica from its Kubernetes Service
 * at the same time, and nobody could read /health. The health check, metrics and alerts report failed dependencies.
 */
export type Health = {
  /**
   * Adds a check that a dependency works. The check should write, or query the server's role, because a server that
   * responds may still reject commands. It may reject. It runs at most a few times a second, and a check that takes too
   * long counts as failed.
   */
  addCheck(name: string, check: () => Promise<CheckResult> | CheckResult): void;
  /** Adds a note for operators that `/readyz` shows. */
  addNote(name: string, text: string): void;
  /** Returns the notes, one line each. */
  notes(): readonly string[];
  setServing(isServing: boolean): void;
  /** Returns whether the process has started and is not stopping. */
  isServing(): boolean;
  /** Returns the name of each dependency and the result of its check. */
  dependencies(): Promise<[name: string, result: CheckResult][]>;
  /**
   * Returns why the process is degraded: "process" while it does not serve, otherwise the names of failing
   * dependencies.
   */
  failing(): Promise<string[]>;
};

/**
 * The result of a check is reused for `keptMs` and awaited for `lateMs`. A failure is therefore reported within 600 ms.
 */
const sharing = { keptMs: 100, lateMs: 500, late: false } as const;

/** Creates the health of a process, which does not serve until `setServing(true)`. */
export function createHealth(): Health {
  const checks = new Map<string, () => Promise<CheckResult>>();
  const notes: string[] = [];
  let isServing = false;
  const dependencies = (): Promise<[string, CheckResult][]> =>
    Promise.all([...checks].map(async ([name, check]) => [name, await check()] as [string, CheckResult]));
  return {
    addCheck: (name, check) =>
      void checks.set(
        name,
        shareProbe<CheckResult>(async () => check(), sharing),
      ),
    addNote: (name, text) => void notes.push(`${name}: ${text}`),
    notes: () => notes,
    setServing: (value) => {
      isServing = value;
    },
    isServing: () => isServing,
    dependencies,
    failing: async () => {
      if (!isServing) return ["process"];
      return (await dependencies()).filter(([, result]) => result !== true).map(([name]) => name);
    },
  };
}

/** Maximum number of connections of the probe port. Kubernetes and Prometheus need a few of them. */
export const probeConnectionsMax = 256;

export type ProbeServer = { readonly port: number; close(): Promise<void> };

/** Serves /livez, /readyz and /metrics for Kubernetes and Prometheus. Port 0 chooses a free one. */
export async function serveProbes(options: {
  host: string;
  port: number;
  health: Health;
  registry: Registry;
}): Promise<ProbeServer> {
  const { health, registry } = options;
  showDependencies(health, registry);
  const exposition = expositionOf(registry);
  const server: Server = createServer(httpServerOptions, (request, response) => {
    const answer = (status: number, type: string, body: string): void => {
      response
        .writeHead(status, {
          "content-type": type,
          "cache-control": "no-store",
        })
        .end(body);
    };
    const failed = (error: unknown): void => answer(500, "text/plain", `${(error as Error).name}\n`);
    const [path] = (request.url ?? "").split("?");
    switch (path) {
      case "/livez":
        return answer(200, "text/plain", "ok\n");
      case "/readyz":
        readiness(health).then(({ isReady, text }) => answer(isReady ? 200 : 503, "text/plain", text), failed);
        return;
      case "/metrics":
        exposition(request.headers.accept).then(({ type, text }) => answer(200, type, text), failed);
        return;
      default:
        return answer(404, "text/plain", "not found\n");
    }
  });
  limitConnections(server, probeConnectionsMax);
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(options.port, options.host, resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/**
 * Creates the function that writes the metrics in the format that the scraper accepts: OpenMetrics, which has
 * exemplars, otherwise Prometheus's text format. The format is a property of the registry, so scrapes run one after the
 * other.
 */
function expositionOf(registry: Registry): (accept?: string) => Promise<{ type: string; text: string }> {
  const formats = registry as Registry<RegistryContentType>;
  let last: Promise<unknown> = Promise.resolve();
  return (accept = "") => {
    const write = async (): Promise<{ type: string; text: string }> => {
      const own = formats.contentType;
      const isOpenMetrics = accept.includes("application/openmetrics-text");
      formats.setContentType(isOpenMetrics ? Registry.OPENMETRICS_CONTENT_TYPE : Registry.PROMETHEUS_CONTENT_TYPE);
      const metrics = formats.getMetricsAsArray() as unknown as { name: string }[];
      const names = metrics.map(({ name }) => name);
      const text = await formats.metrics();
      // While it writes OpenMetrics, the library permanently removes `_total` from the names of its counters.
      for (const [index, metric] of metrics.entries()) metric.name = names[index] ?? metric.name;
      const type = formats.contentType;
      // A histogram with exemplars can be created only while the registry has its original format, and code may create
      // one at any time.
      formats.setContentType(own);
      return { type, text };
    };
    const written = last.then(write, write);
    last = written;
    return written;
  };
}

/**
 * Returns the text of /readyz: the process's own state in the first line, followed by one line for each failing
 * dependency and each note.
 */
async function readiness(health: Health): Promise<{ isReady: boolean; text: string }> {
  const isReady = health.isServing();
  const down = (await health.dependencies())
    .filter(([, result]) => result !== true)
    .map(([name, result]) => `${name}: ${result === false ? "unavailable" : result}`);
  return { isReady, text: [isReady ? "ok" : "not ready: process", ...down, ...health.notes(), ""].join("\n") };
}

function showDependencies(health: Health, registry: Registry): void {
  new Gauge({
    name: "platform_dependency_up",
    help: "1 while the check of a dependency passes, 0 while it fails.",
    labelNames: ["dependency"],
    registers: [registry],
    collect: async function () {
      for (const [dependency, result] of await health.dependencies()) this.set({ dependency }, result === true ? 1 : 0);
    },
  });
}
