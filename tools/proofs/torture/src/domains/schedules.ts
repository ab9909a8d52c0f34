import { createHmac, randomUUID } from "node:crypto";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { type DomainKind, type Stores, type Verdict, verdictOn, type World } from "../domain.ts";
import { acknowledge, begin, type Entries, found } from "../entry.ts";

const operationsPerClient = 2;
const secret = `torture-${randomUUID()}`;
const minuteMs = 60_000;
/** Time limit for a run that another worker took over: two leases and the retries. */
const callMsMax = 180_000;

type Run = { _id: string; operation_id: string; due_at?: Date; state: string };

/**
 * Scheduled operations: each due minute and each invocation must have exactly one run, whose signed call must arrive
 * unless an outage skipped it.
 */
export const schedules: DomainKind = {
  name: "schedules",
  perSecond: 0.2,
  create: async (world) => {
    const entries: Entries = new Map();
    const target = await startTarget();
    const operations = await registerOperations(world, target.url);
    const since = Date.now();
    let next = 0;
    return {
      load: async () => {
        const operationId = operations[next++ % operations.length] ?? "";
        const entry = begin(entries, operationId, `invocation ${randomUUID()}`);
        while (entry.id === null) {
          await world.platform.ctl(["schedules", "invoke", "--operation", operationId]).then(
            (answer) => acknowledge(entry, (answer as { invocation_id: string }).invocation_id),
            // It is unknown whether a run was created, so another one is requested, and only that one is checked.
            () => {
              entry.retries += 1;
              return delay(1_000);
            },
          );
        }
      },
      reconcile: (stores) => reconcile(stores, entries, operations, target.calls, since),
      close: target.close,
    };
  },
};

type Calls = Map<string, { count: number; isSigned: boolean }>;

/** A Project Backend that responds to every call with 204 and records which calls arrived. */
async function startTarget() {
  const calls: Calls = new Map();
  const server = createServer((request, response) => {
    let body = "";
    request.setEncoding("utf8").on("data", (chunk) => {
      body += chunk;
    });
    request.on("end", () => {
      const id = String(request.headers["webhook-id"]);
      const before = calls.get(id);
      const isSigned = isSignedCall(request.headers, body) && before?.isSigned !== false;
      calls.set(id, { count: (before?.count ?? 0) + 1, isSigned });
      response.writeHead(204).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const close = (): void => {
    server.closeAllConnections();
    server.close();
  };
  return { calls, close, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` };
}

/** Verifies Standard Webhooks as a Project Backend would. */
function isSignedCall(headers: IncomingHttpHeaders, body: string): boolean {
  const content = `${headers["webhook-id"]}.${headers["webhook-timestamp"]}.${body}`;
  return headers["webhook-signature"] === `v1,${createHmac("sha256", secret).update(content).digest("base64")}`;
}

async function registerOperations({ platform, clients }: World, url: string): Promise<string[]> {
  const operations: string[] = [];
  for (const { credential } of clients) {
    for (let count = 0; count < operationsPerClient; count += 1) {
      const response = await fetch(`${platform.gateways[0]}/api/v1/scheduled-operations`, {
        method: "POST",
        headers: {
          authorization: `Bearer ${credential}`,
          "idempotency-key": randomUUID(),
          "content-type": "application/json",
        },
        body: JSON.stringify({ name: "load.minutely", url, secret, max_attempts: 100 }),
      });
      const { id } = ((await response.json()) as { data: { id: string } }).data;
      await platform.ctl(["schedules", "set-cron", "--operation", id, "--cron", "* * * * *", "--timezone", "UTC"]);
      operations.push(id);
    }
  }
  return operations;
}

async function reconcile(
  stores: Stores,
  entries: Entries,
  operations: readonly string[],
  calls: Calls,
  since: number,
): Promise<Verdict> {
  const collection = stores("events").collection<Run>("scheduled_runs");
  const until = Math.floor(Date.now() / minuteMs) * minuteMs;
  const mine = { operation_id: { $in: [...operations] }, scheduled_for: { $lte: new Date(until) } };
  const isOpen = { ...mine, state: { $in: ["pending", "running", "deferred"] } };
  const givenUpAt = performance.now() + callMsMax;
  while ((await collection.countDocuments(isOpen)) > 0 && performance.now() < givenUpAt) await delay(1_000);

  // Every minute since all operations have their schedules counts as acknowledged.
  const keyOf = (operationId: string, due: number): string => `${operationId} ${new Date(due).toISOString()}`;
  for (let due = Math.ceil(since / minuteMs) * minuteMs; due <= until; due += minuteMs) {
    for (const id of operations) acknowledge(begin(entries, id, keyOf(id, due)), keyOf(id, due));
  }
  const invocations = new Map([...entries.values()].map((entry) => [entry.id, entry]));
  let skipped = 0;
  for await (const { _id, operation_id, due_at, state } of collection.find({ operation_id: mine.operation_id })) {
    const entry = due_at === undefined ? invocations.get(_id) : entries.get(keyOf(operation_id, due_at.getTime()));
    if (entry === undefined) continue;
    if (state === "skipped") skipped += 1;
    else if (state !== "succeeded" || !calls.has(_id)) continue;
    found(entry, due_at === undefined ? _id : entry.key);
  }
  const unsigned = [...calls].filter(([, { isSigned }]) => !isSigned).map(([id]) => id);
  const repeats = [...calls.values()].filter(({ count }) => count > 1).length;
  return verdictOn("schedules", entries, [
    unsigned.length === 0 ? "every call signed" : `UNSIGNED calls: ${unsigned.join(", ")}`,
    `${skipped} due times skipped after an outage`,
    `${repeats} called again after a crash, each under its id`,
  ]);
}
