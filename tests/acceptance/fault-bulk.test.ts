import { spawn } from "node:child_process";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { repositoryRoot } from "@platform/stack/stack";
import { eventually } from "@platform/test-kit/eventually";
import { endChild } from "@platform/test-kit/test-process";
import { type Collection, type Document, MongoClient } from "mongodb";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { killOnceBegun, settledActions } from "./killed-work.ts";
import { makeLineProject } from "./line-project.ts";
import { type OwnStack, startOwnStack } from "./own-stack.ts";
import { storeCopies } from "./stored-copies.ts";

let own: OwnStack;
let mongo: MongoClient;
beforeAll(async () => {
  own = await startOwnStack();
  mongo = await MongoClient.connect(own.stack.mongodbUri);
});
afterAll(async () => {
  await mongo?.close();
  await own?.close();
});

const collection = (service: string, name: string): Collection<Document> =>
  mongo.db(own.stack.databaseOf(service)).collection<Document>(name);
const killInTheMiddle = (name: string, remaining: () => Promise<number>, all: number) =>
  killOnceBegun(own, name, remaining, all);

/** Starts platformctl and kills it after its work has begun. Returns how much of the work was left. */
async function killedCtl(args: readonly string[], left: () => Promise<number>, all: number): Promise<number> {
  const script = join(repositoryRoot, "tools/platformctl/bin/platformctl.js");
  const env = { ...process.env, STACK_DIR: own.stack.directory, PLATFORMCTL_HOME: join(own.stack.directory, "killed") };
  const ctl = spawn(process.execPath, [script, ...args], { env, stdio: "ignore" });
  await eventually(async () => (await left()) < all, { timeoutMs: 60_000, everyMs: 1 });
  await endChild(ctl);
  const rest = await left();
  expect(rest).toBeGreaterThan(0);
  return rest;
}

const content = { subject: "Hello", text: "Hello", html: null };

describe("bulk retry", () => {
  const count = 5_000;

  test("resumes a bulk retry after notify-svc, its worker and platformctl were killed: each delivery is sent once", async () => {
    const { client, endpointId } = await makeLineProject(own);
    const deliveries = collection("notify", "deliveries");
    const failedAt = new Date(Date.now() - 3_600_000);
    const failed = {
      status: "failed",
      content,
      attempts: 8,
      provider_status: "unavailable",
      last_error_code: "line_503",
    };
    const copies = await storeCopies(
      deliveries,
      { endpoint_id: endpointId },
      count,
      (copy) => ({ ...copy, ...failed, finished_at: failedAt }),
      () => failedAt.getTime(),
    );
    const left = () => deliveries.countDocuments({ project_client_id: client.id, status: "failed" });
    const unsent = () => deliveries.countDocuments({ project_client_id: client.id, status: { $ne: "sent" } });
    const retry = ["deliveries", "retry", "--client", client.id, "--status", "failed", "--since", "2h"];

    const afterTheFirst = await killedCtl(retry, left, count);
    const again = own.ctl(retry);
    const server = await killInTheMiddle("notify-svc", left, afterTheFirst);
    await killInTheMiddle("notify-svc-worker", unsent, count);
    const counted = await again;
    expect(counted.skipped).toBe(0);
    expect(counted.retried).toBeGreaterThanOrEqual(server.left);
    await eventually(async () => (await unsent()) === 0, { timeoutMs: 120_000, everyMs: 200, what: "all are sent" });

    const response = await fetch(`${own.stack.settings.SINK_URL}/messages?channel=line`);
    const pushes = (await response.json()) as { answered_status: number; headers: Record<string, string> }[];
    const accepted = pushes
      .filter(({ answered_status }) => answered_status === 200)
      .map(({ headers }) => headers["x-line-retry-key"] ?? "");
    const ids = new Set(copies.map(({ _id }) => String(_id)));
    const ours = accepted.filter((key) => ids.has(key));
    expect(ours).toHaveLength(count);
    expect(new Set(ours).size).toBe(count);
    expect((await settledActions(own, collection)).some(({ rpc }) => rpc.endsWith("/RetryDeliveries"))).toBe(true);
    process.stdout.write(
      `bulk retry: platformctl killed at ${count - afterTheFirst} of ${count}, notify-svc at ${count - server.left}; ${ours.length} accepted once\n`,
    );
  });
});

describe("bulk redrive", () => {
  const count = 3_000;

  test("resumes a redrive after events-svc, its worker and platformctl were killed: each run succeeds, and repeats only a call that the kill interrupted", async () => {
    const client = await own.newClient("development", "schedules:write");
    const calls = new Map<string, number>();
    const target = createServer((request, response) => {
      const id = String(request.headers["webhook-id"]);
      calls.set(id, (calls.get(id) ?? 0) + 1);
      request.resume().on("end", () => response.writeHead(204).end());
    });
    await new Promise<void>((resolve) => target.listen(0, "127.0.0.1", resolve));
    const url = `http://127.0.0.1:${(target.address() as AddressInfo).port}/hook`;
    const operation = await own.make("POST", "/scheduled-operations", client.credential, {
      name: "hook",
      url,
      secret: "s".repeat(32),
    });
    const runs = collection("events", "scheduled_runs");
    const ofOperation = { operation_id: operation.id };
    const { invocation_id: first } = await own.ctl(["schedules", "invoke", "--operation", operation.id]);
    await eventually(async () => (await runs.findOne({ _id: first }))?.state === "succeeded");
    const failedAt = new Date(Date.now() - 3_600_000);
    const failure = { at: failedAt, status_code: 500, error: "answered 500", response: null };
    const failed = {
      state: "failed",
      scheduled_for: failedAt,
      attempts: [failure],
      attempt_count: 1,
      tries_made: 1,
      tries_left: 0,
    };
    const copies = await storeCopies(
      runs,
      { _id: first },
      count,
      (copy) => ({ ...copy, ...failed }),
      () => failedAt.getTime(),
    );
    const left = () => runs.countDocuments({ ...ofOperation, state: "failed" });
    const unfinished = () => runs.countDocuments({ ...ofOperation, state: { $ne: "succeeded" } });
    const redrive = ["schedules", "redrive", "--client", client.id, "--status", "failed", "--since", "2h"];

    const afterTheFirst = await killedCtl(redrive, left, count);
    const again = own.ctl(redrive);
    const server = await killInTheMiddle("events-svc", left, afterTheFirst);
    const worker = await killInTheMiddle("events-svc-worker", unfinished, count);
    expect((await again).skipped).toBe(0);
    await eventually(async () => (await unfinished()) === 0, { timeoutMs: 120_000, everyMs: 200, what: "all succeed" });
    target.close();

    const tried = await runs.find({ ...ofOperation, _id: { $ne: first } }).toArray();
    expect(tried).toHaveLength(count);
    // Each run has its earlier failure and one success.
    const ends = tried.map(({ attempts }) => attempts.filter(succeeded).length);
    expect(new Set(ends)).toEqual(new Set([1]));
    const ofCopies = copies.map(({ _id }) => calls.get(String(_id)) ?? 0);
    expect(Math.min(...ofCopies)).toBe(1);
    expect(Math.max(...ofCopies)).toBeLessThanOrEqual(2);
    expect((await settledActions(own, collection)).some(({ rpc }) => rpc.endsWith("/RedriveRuns"))).toBe(true);
    const repeated = ofCopies.filter((times) => times === 2).length;
    process.stdout.write(
      `bulk redrive: platformctl killed at ${count - afterTheFirst} of ${count}, events-svc at ${count - server.left}, its worker with ${worker.left} to go; ${repeated} calls repeated\n`,
    );
  });
});

const succeeded = ({ status_code }: { readonly status_code: number | null }): boolean => status_code === 204;
