import type { LoadSample } from "../load/sample.ts";
import type { Platform } from "../platform.ts";
import type { Bench, Contender } from "../row.ts";

/** The event that every row publishes. */
export const eventBody = JSON.stringify({
  type: "order.placed",
  schema_version: 1,
  data: { order: 1, lines: [{ sku: "A-1", quantity: 2 }] },
});

type HttpRequest = {
  readonly port: number;
  readonly path?: string;
  readonly credential?: string;
  /** Body of a POST; without it the request is a GET. */
  readonly body?: string;
  readonly hasKey?: boolean;
  readonly connections?: number;
};

/** Creates a closed-loop load over HTTP. */
export function httpLoad({ port, path = "/", credential, body, hasKey, connections = 64 }: HttpRequest) {
  const credentials = credential === undefined ? [] : [credential];
  const keyPrefix = hasKey === true ? (true as const) : null;
  return { ports: [port], path, body: body ?? null, credentials, keyPrefix, connections, perSecond: null };
}

/** Creates a contender over HTTP, by default with 64 connections. */
export function httpContender(bench: Bench, name: string, role: Contender["role"], request: HttpRequest): Contender {
  return { name, role, run: (durationMs) => bench.generator.run("http", { ...httpLoad(request), durationMs }) };
}

/** Publishes events through a gateway of the platform. */
export function publishing({ credential }: Platform, port: number) {
  return { port, path: "/api/v1/domain-events", credential, body: eventBody, hasKey: true };
}

/** Creates the contender that uses only the driver, which stores copies of the latest Domain Event with the write concern of the services. */
export function driverInsert(bench: Bench, platform: Platform, name: string): Contender {
  const { stack } = platform;
  const source = { uri: stack.mongodbUri, database: stack.databaseOf("events"), collection: "domain_events" };
  const run = async (durationMs: number): Promise<LoadSample> => {
    await platform.request("POST", "/domain-events", JSON.parse(eventBody));
    return bench.generator.run("rawWrites", { ...source, what: "insert", inFlight: 64, durationMs });
  };
  return { name, role: "baseline", unit: "inserts/s", run };
}
