import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { connectGrpc, type GrpcConnection } from "@platform/kit/rpc/client";
import { DomainEventConsumerService } from "@platform/proto/events/v1/events_consumer";
import { ProjectClientAdminService } from "@platform/proto/identity/v1/identity_admin";
import { DeliveryAdminService } from "@platform/proto/notify/v1/delivery_admin";
import { passwordIn, signInWith, type Visitor, visitorOf } from "@platform/stack/console-visitor";
import { type LoadSample, runClosedLoop } from "../load/sample.ts";
import type { Platform } from "../platform.ts";
import { residentMib } from "../processes.ts";
import { type Bench, type Check, type Contender, type Row, ratioCheck } from "../row.ts";
import { httpLoad, publishing } from "./contenders.ts";
import { arrivedCount } from "./deliveries.ts";
import { type FilledPlatform, startFilledPlatform } from "./fill-platform.ts";

const goal = 1.5;

/** Numbers of documents and Project Clients of each platform; the last ones are the largest. */
const sizes = (process.env.GROWTH ?? "10000/10,100000/1000,1000000/10000").split(",").map((text) => {
  const [documents = 0, clients = 0] = text.split("/").map(Number);
  if (!(documents > 0 && clients > 1)) throw new Error(`GROWTH takes documents/clients,…, not ${text}`);
  return { documents, clients };
});

/** Measures the cost of each operation as the number of documents and clients grows, with one request at a time. */
export const growthRow: Row = {
  id: "GROWTH",
  title: "Latency of one request at a time as documents and clients grow",
  isOnRequest: true,
  run: async (bench) => {
    const filled: FilledPlatform[] = [];
    for (const size of sizes)
      filled.push(await startFilledPlatform(bench, { ...size, prefix: `growth${filled.length}` }));
    const contenders: Contender[] = [];
    for (const one of filled) contenders.push(...(await operationsOf(bench, one)));
    const measured = await bench.measure(contenders);
    const [least, ...larger] = filled;
    if (least === undefined) throw new Error("GROWTH names no size");
    return {
      measured,
      checks: [
        ...operationNames.flatMap((name) =>
          larger.map((size) =>
            ratioCheck(measured, [nameOf(name, size), nameOf(name, least)], { figure: "p50Ms", atMost: goal }),
          ),
        ),
        ...larger.map((size) => memoryCheck(least, size)),
      ],
      notes: [
        "The platforms run side by side, each in one process, and are measured interleaved. The console's page of clients is its last one, which has ten. Each has as many Domain Events as deliveries, copies of its own, over 13 days; every hundredth delivery failed, and every tenth waits for a time next year, in the index from which workers claim. A delivery counts from the request until the message has reached the mail server.",
      ],
    };
  },
};

const operationNames = [
  ...["publish an event", "deliver an email"],
  ...["list the deliveries of a client", "list all failed deliveries", "list ten clients"],
  ...["read the events of a client", "console: deliveries", "console: ten clients", "console: events of a client"],
] as const;
type OperationName = (typeof operationNames)[number];

const nameOf = (name: OperationName, { documents, clients }: FilledPlatform): string =>
  `${name}, ${documents.toLocaleString("en")} documents of ${clients.toLocaleString("en")} clients`;

async function operationsOf(bench: Bench, filled: FilledPlatform): Promise<Contender[]> {
  const { platform } = filled;
  const lists = connectLists(platform);
  bench.defer(async () => lists.close());
  const visitor = await signedIn(platform);
  const alone = (once: () => Promise<unknown>) => (durationMs: number) =>
    runClosedLoop({ concurrency: 1, durationMs, once });
  const oldest = oldestTen((await lists.clients(tenClients + 1)).projectClients);
  const publish = httpLoad({ ...publishing(platform, platform.port), connections: 1 });
  const runs: Readonly<Record<OperationName, (durationMs: number) => Promise<LoadSample>>> = {
    "publish an event": (durationMs) => bench.generator.run("http", { ...publish, durationMs }),
    "deliver an email": alone(() => deliverOne(bench, filled)),
    "list the deliveries of a client": alone(() => lists.deliveries({ projectClientId: platform.projectClientId })),
    "list all failed deliveries": alone(() => lists.deliveries({ status: "failed" })),
    "list ten clients": alone(() => lists.clients(tenClients)),
    "read the events of a client": alone(() => lists.events(platform.projectClientId)),
    "console: deliveries": alone(() => page(visitor, "/deliveries")),
    "console: ten clients": alone(() => page(visitor, `/clients?cursor=${oldest}`)),
    "console: events of a client": alone(() => page(visitor, `/events?client=${platform.projectClientId}`)),
  };
  return operationNames.map((name) => ({ name: nameOf(name, filled), role: "ours", run: runs[name] }));
}

/** Number of clients in every page of clients, because the smallest platform has no more. */
const tenClients = 10;

/**
 * Returns the cursor of the console's page with the ten oldest clients, in the form that identity-svc gives to cursors.
 * Empty if there are no other clients.
 */
function oldestTen(clients: readonly { readonly id: string; readonly name: string }[]): string {
  const next = clients[tenClients];
  return next === undefined ? "" : Buffer.from(`${next.id} ${next.name}`).toString("base64url");
}

/** Requests one delivery and waits until the message has arrived. */
async function deliverOne(bench: Bench, { deliveries, sink }: FilledPlatform): Promise<void> {
  const before = await arrivedCount(sink);
  await bench.generator.run("http", deliveries.loadOf(1));
  for (const untilMs = performance.now() + 30_000; (await arrivedCount(sink)) === before; await delay(2)) {
    if (performance.now() > untilMs) throw new Error("a delivery did not arrive");
  }
}

/** Requests the lists that platformctl and the console show. */
function connectLists({ stack }: Platform) {
  const metadata = { authorization: `Bearer ${stack.settings.OPERATOR_TOKEN}` };
  const connect = (name: string) => connectGrpc({ address: stack.settings[name] ?? "", tls: null, metadata });
  const [notify, identity, events] = [connect("NOTIFY_GRPC"), connect("IDENTITY_GRPC"), connect("EVENTS_GRPC")];
  const context = { correlationId: randomUUID(), operation: "bench", projectClient: null, idempotency: null };
  const { listDeliveries } = notify.service(DeliveryAdminService);
  const { listProjectClients } = identity.service(ProjectClientAdminService);
  return {
    deliveries: (filter: { projectClientId?: string; status?: string }) =>
      listDeliveries({ filter, limit: 50 }, { context }),
    clients: (pageSize: number) => listProjectClients({ pageSize }, { context }),
    events: (projectClientId: string) => firstEvents(events, projectClientId),
    close: () => [notify, identity, events].forEach((connection) => void connection.close()),
  };
}

const eventsOfPage = 10;

/** Reads the first events of a client's log, as `platformctl events list` does. */
async function firstEvents(connection: GrpcConnection, projectClientId: string): Promise<void> {
  const ended = new AbortController();
  const context = { correlationId: randomUUID(), operation: "bench", projectClient: null, idempotency: null };
  const request = { projectClientId, afterPosition: 0n, types: [] };
  let found = 0;
  try {
    const answers = connection
      .service(DomainEventConsumerService)
      .readEvents(request, { context, signal: ended.signal });
    for await (const { event } of answers) {
      if (event !== undefined) found += 1;
      if (found === eventsOfPage || event === undefined) return;
    }
  } finally {
    ended.abort();
  }
}

/** Signs a person in at the console as an operator. */
function signedIn({ stack }: Platform): Promise<Visitor> {
  const visitor = visitorOf(`http://127.0.0.1:${stack.ports.console}`);
  return signInWith(visitor, "operator", passwordIn(stack.directory, "operator"), "/erasures");
}

/** Loads a page of the console. */
export async function page(visitor: Visitor, path: string): Promise<void> {
  const { status } = await visitor.get(path);
  if (status !== 200) throw new Error(`${path} responded ${status}`);
}

/**
 * Reports the memory of the one process in which each platform runs. The store is excluded, because it contains the
 * documents.
 */
function memoryCheck(least: FilledPlatform, most: FilledPlatform): Check {
  const [small, large] = [least, most].map(({ platform }) => residentMib(platform.stack.pid("platform")));
  const ratio = (large ?? 0) / (small ?? 1);
  return {
    text: `memory of the platform's process at ${most.documents.toLocaleString("en")} documents / at ${least.documents.toLocaleString("en")} ≤ ${goal}`,
    value: `${small?.toFixed(0)} to ${large?.toFixed(0)} MiB, ${ratio.toFixed(2)} ×`,
    met: ratio <= goal,
  };
}
