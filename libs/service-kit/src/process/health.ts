import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Registry } from "@prometheus-io/client";
import { shareProbe } from "./share-probe.ts";

/** Readiness of a process: it serves when it has started, is not stopping, and every check passes. */
export type Health = {
  /** Adds a check, which may reject. It runs at most a few times a second, and a late check counts as failed. */
  addCheck(name: string, check: () => Promise<boolean> | boolean): void;
  /** Adds a note for operators that `/readyz` shows although the process serves. */
  addNote(name: string, text: string): void;
  /** The notes, one line each. */
  notes(): readonly string[];
  setServing(isServing: boolean): void;
  /** The names of the checks that fail; empty when the process is ready. */
  failing(): Promise<string[]>;
};

/** How long the answer of a check is reused and awaited: a failure shows within 600 ms. */
const sharing = { keptMs: 100, lateMs: 500, late: false } as const;

/** A health that is not ready until `setServing(true)`. */
export function createHealth(): Health {
  const checks = new Map<string, () => Promise<boolean>>();
  const notes: string[] = [];
  let isServing = false;
  return {
    addCheck: (name, check) =>
      void checks.set(
        name,
        shareProbe<boolean>(async () => check(), sharing),
      ),
    addNote: (name, text) => void notes.push(`${name}: ${text}`),
    notes: () => notes,
    setServing: (value) => {
      isServing = value;
    },
    failing: async () => {
      if (!isServing) return ["process"];
      const results = await Promise.all([...checks].map(async ([name, check]) => ((await check()) ? null : name)));
      return results.filter((name) => name !== null);
    },
  };
}

export type ProbeServer = { readonly port: number; close(): Promise<void> };

/** Serves /livez, /readyz and /metrics for Kubernetes and Prometheus. Port 0 takes a free one. */
export async function serveProbes(options: {
  host: string;
  port: number;
  health: Health;
  registry: Registry;
}): Promise<ProbeServer> {
  const server: Server = createServer((request, response) => {
    const answer = (status: number, type: string, body: string): void => {
      response
        .writeHead(status, {
          "content-type": type,
          "cache-control": "no-store",
        })
        .end(body);
    };
    const failed = (error: unknown): void => answer(500, "text/plain", `${(error as Error).name}\n`);
    switch (request.url) {
      case "/livez":
        return answer(200, "text/plain", "ok\n");
      case "/readyz":
        options.health
          .failing()
          .then(
            (names) =>
              answer(
                names.length === 0 ? 200 : 503,
                "text/plain",
                [names.length === 0 ? "ok" : `not ready: ${names.join(", ")}`, ...options.health.notes(), ""].join(
                  "\n",
                ),
              ),
            failed,
          );
        return;
      case "/metrics":
        options.registry.metrics().then((text) => answer(200, options.registry.contentType, text), failed);
        return;
      default:
        return answer(404, "text/plain", "not found\n");
    }
  });
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
