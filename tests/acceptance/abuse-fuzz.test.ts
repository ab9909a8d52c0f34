import { randomUUID } from "node:crypto";
import { Agent, request as httpRequest } from "node:http";
import { text as readText } from "node:stream/consumers";
import { operationList } from "@platform/contracts/operations";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { anyRequest, type FuzzRequest } from "./abuse/request-arbitrary.ts";
import { soundnessFault } from "./abuse/sound-answer.ts";
import { acceptanceStack, api, ctl, newClient } from "./stack.ts";

/** How many requests are made, and how many of them at once. Without FUZZ_REQUESTS, as many of them as fit the time. */
const requests = Number(process.env.FUZZ_REQUESTS ?? 100_000);
const millisecondsMax = process.env.FUZZ_REQUESTS === undefined ? 120_000 : 3_600_000;
const atOnce = 80;
const lanes = 4;

const agent = new Agent({ keepAlive: true, maxSockets: 200 });
const base = new URL(acceptanceStack.baseUrl);
const statuses = new Map<string, Map<number, number>>();
afterAll(() => agent.destroy());

/** Sends a request as it was generated; what a header may hold is Node's to judge, so it is written as latin1. */
async function exchange({ operation, path, headers, body }: FuzzRequest) {
  const sent = body === null ? headers : { ...headers, "content-length": `${Buffer.byteLength(body)}` };
  const outgoing = httpRequest({
    agent,
    host: base.hostname,
    port: base.port,
    method: operation.method,
    path,
    headers: sent,
  });
  const answered = new Promise<{ status: number; text: string; contentType: string | null }>((resolve, reject) => {
    outgoing.once("error", reject).once("response", (response) => {
      const contentType = response.headers["content-type"] ?? null;
      readText(response).then((text) => resolve({ status: response.statusCode ?? 0, text, contentType }), reject);
    });
  });
  outgoing.end(body ?? undefined);
  return answered;
}

/** What is wrong with the answer to a request, and the request; null when nothing is. */
async function faultOf(request: FuzzRequest): Promise<string | null> {
  const reply = await exchange(request);
  const { operation, path, headers, body } = request;
  const counts = statuses.get(operation.id) ?? new Map<number, number>();
  statuses.set(operation.id, counts.set(reply.status, (counts.get(reply.status) ?? 0) + 1));
  const fault = soundnessFault(operation, reply);
  return fault === null ? null : `${fault}\n  ${operation.method} ${path}\n  ${JSON.stringify({ headers, body })}`;
}

/** Makes a lane's share of the requests, until one is answered wrongly. */
async function fuzz(credentials: Readonly<Record<string, string | null>>) {
  let faults: string[] = [];
  const batches = fc.array(anyRequest(credentials), { minLength: atOnce, maxLength: atOnce });
  const checked = await fc.check(
    fc.asyncProperty(batches, async (batch) => {
      const found = (await Promise.all(batch.map(faultOf))).filter((fault) => fault !== null);
      if (found.length > 0) faults = found;
      return found.length === 0;
    }),
    {
      numRuns: Math.ceil(requests / atOnce / lanes),
      endOnFailure: true,
      plugins: [fc.interruptAfterTimeLimit(millisecondsMax)],
    },
  );
  const error = checked.failed && faults.length === 0 ? `${checked.errorInstance}` : null;
  return { seed: checked.seed, path: checked.counterexamplePath, faults, error };
}

describe("property-based fuzz of every operation from its schema", () => {
  let credentials: Record<string, string | null>;
  beforeAll(async () => {
    const [client, account] = await Promise.all([
      newClient(),
      ctl(["accounts", "create", "--email", `${randomUUID()}@example.com`, "--password", randomUUID(), "--verified"]),
    ]);
    const { session } = await ctl(["sessions", "create", "--account", account.id]);
    const resources = ["api_traffic", "events", "audit_retention", "deliveries", "storage_bytes"];
    await Promise.all(
      resources.map((resource) =>
        ctl(["quotas", "set", "--client", client.id, "--resource", resource, "--limit", "9000000000000000"]),
      ),
    );
    credentials = {
      projectCredential: `Bearer ${client.credential}`,
      platformSession: `Bearer ${session}`,
      none: null,
    };
  });

  const name = `at most ${requests} requests in ${millisecondsMax / 1000} s: no 5xx, always the envelope or the promised success`;
  test(name, { timeout: millisecondsMax + 60_000 }, async () => {
    const startedAtMs = performance.now();
    // Several at a time, so that the slowest answer of a batch does not hold up the rest.
    const outcomes = await Promise.all(Array.from({ length: lanes }, () => fuzz(credentials)));
    expect(outcomes.filter(({ faults }) => faults.length > 0)).toEqual([]);
    expect(outcomes.filter(({ error }) => error !== null)).toEqual([]);
    const seconds = (performance.now() - startedAtMs) / 1000;
    const counts = [...statuses.values()].flatMap((byStatus) => [...byStatus.values()]);
    const made = counts.reduce((sum, count) => sum + count, 0);
    process.stdout.write(`${made} requests in ${seconds.toFixed(0)} s, ${(made / seconds).toFixed(0)} a second\n`);
    expect(made).toBeGreaterThanOrEqual(Math.min(requests, 2_000));
  });

  test("has reached every operation, and every kind of answer", async () => {
    expect(operationList.filter(({ id }) => !statuses.has(id))).toEqual([]);
    const all = new Set([...statuses.values()].flatMap((counts) => [...counts.keys()]));
    expect([...all].filter((status) => status < 300).length).toBeGreaterThan(0);
    expect([...all]).toEqual(expect.arrayContaining([401, 415, 422]));
    expect((await api("GET", "/health", { credential: null })).json.data.status).toBe("ok");
  });
});
