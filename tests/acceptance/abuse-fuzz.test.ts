import { randomInt, randomUUID } from "node:crypto";
import { Agent, request as httpRequest } from "node:http";
import { text as readText } from "node:stream/consumers";
import { operationList } from "@platform/contracts/operations";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { anyRequest, type FuzzGround, type FuzzRequest } from "./abuse/request-arbitrary.ts";
import { soundnessFault } from "./abuse/sound-answer.ts";
import { acceptanceStack, api, ctl } from "./stack.ts";
import type { OperationRequest } from "./walk/operation-request.ts";
import { newProject } from "./walk/project.ts";
import { workingRequests } from "./walk/working-requests.ts";

/** Total number of requests. FUZZ_REQUESTS raises it, and FUZZ_SEED repeats the requests of an earlier run. */
const requests = Number(process.env.FUZZ_REQUESTS ?? 10_000);
const seed = Number(process.env.FUZZ_SEED ?? randomInt(2 ** 31));
/** Number of concurrent callers. Each has its own connection and its own run of fast-check. */
const callers = 64;
/** Time limit in milliseconds. It only ends a run on a stalled machine and is not a performance target. */
const millisecondsMax = 600_000 * Math.max(1, requests / 100_000);

const agent = new Agent({ keepAlive: true, maxSockets: callers });
const base = new URL(acceptanceStack.baseUrl);
const statuses = new Map<string, Map<number, number>>();
afterAll(() => agent.destroy());

/**
 * Sends a generated request unchanged. It is written as latin1 to a socket, because Node's HTTP client would reject
 * some header values.
 */
async function exchange({ operation, path, headers, body }: FuzzRequest) {
  const sent = body === null ? headers : { ...headers, "content-length": `${Buffer.byteLength(body)}` };
  const { hostname: host, port } = base;
  const outgoing = httpRequest({ agent, host, port, method: operation.method, path, headers: sent });
  const answered = new Promise<Parameters<typeof soundnessFault>[1]>((resolve, reject) => {
    outgoing.once("error", reject).once("response", (response) => {
      const contentType = response.headers["content-type"] ?? null;
      const correlationId = response.headers["x-correlation-id"]?.toString() ?? null;
      const status = response.statusCode ?? 0;
      readText(response).then((text) => resolve({ status, text, contentType, correlationId }), reject);
    });
  });
  outgoing.end(body ?? undefined);
  return answered;
}

/** Throws an error if the response to a request is wrong. */
async function ask(request: FuzzRequest): Promise<void> {
  const { operation, path, headers, body } = request;
  const reply = await exchange(request);
  const counts = statuses.get(operation.id) ?? new Map<number, number>();
  statuses.set(operation.id, counts.set(reply.status, (counts.get(reply.status) ?? 0) + 1));
  const fault = soundnessFault(operation, reply, `${path}\n${Object.values(headers).join("\n")}\n${body}`);
  if (fault !== null) throw new Error(fault);
}

/**
 * Sends one caller's requests sequentially. fast-check minimizes and reports the first wrong response, and the other
 * callers stop.
 */
async function fuzz(ground: FuzzGround, caller: number, stop: AbortController): Promise<string | null> {
  const failed: FuzzRequest[] = [];
  const property = fc.asyncProperty(anyRequest(ground), async (request) => {
    if (stop.signal.aborted) return;
    await ask(request).catch((error) => {
      failed.push(request);
      throw error;
    });
  });
  const reported = await fc.check(property, {
    seed: seed + caller,
    numRuns: Math.ceil(requests / callers),
    plugins: [fc.interruptAfterTimeLimit(millisecondsMax)],
  });
  if (!reported.failed) return null;
  stop.abort();
  // While fast-check shrinks, each failing request is smaller than the previous one.
  const smallest = failed
    .slice(-1)
    .map(({ operation, path, headers, body }) => ({ method: operation.method, path, headers, body }));
  return `${reported.errorInstance}\nseed ${reported.seed}, path ${reported.counterexamplePath}\n${JSON.stringify(smallest)}`;
}

describe("property-based fuzz of every operation from its schema", () => {
  let ground: FuzzGround;
  beforeAll(async () => {
    const [project, account] = await Promise.all([
      newProject(),
      ctl(["accounts", "create", "--email", `${randomUUID()}@example.com`, "--password", randomUUID(), "--verified"]),
    ]);
    const { session } = await ctl(["sessions", "create", "--account", account.id]);
    const resources = ["api_traffic", "events", "audit_retention", "deliveries", "storage_bytes"];
    await Promise.all(
      resources.map((resource) =>
        ctl(["quotas", "set", "--client", project.client.id, "--resource", resource, "--limit", "9000000000000000"]),
      ),
    );
    const known = await Promise.all(
      operationList.map(async ({ id }): Promise<[string, OperationRequest[]]> => {
        const prepare = () => workingRequests[id](project);
        return [id, await Promise.all([prepare(), prepare()])];
      }),
    );
    const credentials = {
      projectCredential: `Bearer ${project.client.credential}`,
      platformSession: `Bearer ${session}`,
      none: null,
    };
    ground = { credentials, known: new Map(known) };
  });

  test(`responds to ${requests} requests without 5xx, with the envelope or the documented success`, {
    timeout: millisecondsMax + 60_000,
  }, async () => {
    process.stdout.write(`fuzz: FUZZ_REQUESTS=${requests} FUZZ_SEED=${seed}\n`);
    const startedAtMs = performance.now();
    const stop = new AbortController();
    const faults = await Promise.all(Array.from({ length: callers }, (_, caller) => fuzz(ground, caller, stop)));
    const told = faults.filter((fault) => fault !== null);
    if (told.length > 0) throw new Error(`Again with FUZZ_SEED=${seed}.\n${told.join("\n\n")}`);
    const seconds = (performance.now() - startedAtMs) / 1000;
    const counts = [...statuses.values()].flatMap((byStatus) => [...byStatus.values()]);
    const made = counts.reduce((sum, count) => sum + count, 0);
    process.stdout.write(`${made} requests in ${seconds.toFixed(0)} s, ${(made / seconds).toFixed(0)} a second\n`);
    expect(made).toBeGreaterThanOrEqual(requests);
  });

  test("reaches every operation and every kind of response", async () => {
    // The first attempt consumes the upload token, so a successful upload is not guaranteed.
    const succeeded = operationList.filter(({ id, status }) => statuses.get(id)?.has(status) === true);
    const missing = operationList.filter((operation) => !succeeded.includes(operation)).map(({ id }) => id);
    expect(missing.filter((id) => id !== "files.uploadFile")).toEqual([]);
    const all = new Set([...statuses.values()].flatMap((counts) => [...counts.keys()]));
    expect([...all]).toEqual(expect.arrayContaining([401, 404, 409, 415, 422]));
    expect((await api("GET", "/health", { credential: null })).json.data.status).toBe("ok");
  });
});
