import { type ChildProcess, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { eventually } from "@platform/test-kit/eventually";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type ScheduleBed, startScheduleBed } from "./schedule-fixture.ts";

const entry = fileURLToPath(new URL("../src/start-worker.ts", import.meta.url));
const operationCount = 100;
const runsEach = 12;

let bed: ScheduleBed;
let clientId: string;
const workers: ChildProcess[] = [];

/** Starts a worker as it is deployed. It uses the clock of the database. */
function startWorker(): ChildProcess {
  const worker = spawn(process.execPath, [entry], { env: bed.env, stdio: ["ignore", "ignore", "inherit"] });
  workers.push(worker);
  return worker;
}

beforeAll(async () => {
  bed = await startScheduleBed({}, { hasWorker: false });
  clientId = await bed.identity.createClient();
});
afterAll(async () => {
  for (const worker of workers) worker.kill("SIGKILL");
  await bed.close();
});

test("starts no claimed run after its worker was paused beyond the lease", {
  timeout: 120_000,
}, async () => {
  const operations = await Promise.all(Array.from({ length: operationCount }, () => bed.register(clientId)));
  const invocations: string[] = [];
  for (let round = 0; round < runsEach; round += 1) {
    invocations.push(...(await Promise.all(operations.map((id) => bed.invoke(id)))));
  }
  const paused = startWorker();
  await eventually(() => bed.target.arrivals.length > 0);
  // Without Redis, a claimed run waits to be metered and is postponed after a second. Therefore the worker holds
  // claims when it is paused, and is not in the middle of a call. The test could not distinguish such a call from one
  // that the worker started after it was resumed.
  const claims = async (): Promise<number> => {
    const states = (await Promise.all(operations.map((id) => bed.runsOf(id)))).flat();
    return states.filter(({ status }) => status === "running").length;
  };
  await eventually(
    async () => {
      bed.redis.pause();
      await eventually(async () => (await claims()) > 0, { timeoutMs: 800 }).catch(() => undefined);
      paused.kill("SIGSTOP");
      bed.redis.resume();
      if ((await claims()) > 0) return true;
      paused.kill("SIGCONT");
      return false;
    },
    { what: "a worker that is stopped with claims" },
  );
  expect(bed.target.arrivals.length).toBeLessThan(invocations.length);

  const other = startWorker();
  const called = () => new Set(bed.target.arrivals.map(({ headers }) => headers["webhook-id"]));
  await eventually(() => called().size === invocations.length, { timeoutMs: 60_000, what: "every run called" });
  const isOver = async (id: string) => (await bed.runsOf(id)).every(({ status }) => status === "succeeded");
  await eventually(async () => (await Promise.all(operations.map(isOver))).every(Boolean), { timeoutMs: 60_000 });

  const before = bed.target.arrivals.length;
  other.kill("SIGKILL");
  paused.kill("SIGCONT");
  // Once the worker has executed this new run, it has resumed and would have started its earlier claims.
  const fresh = await bed.invoke(operations[0] ?? "");
  await eventually(() => called().has(fresh), { timeoutMs: 60_000, what: "the resumed worker at work" });
  const after = bed.target.arrivals.slice(before).map(({ headers }) => headers["webhook-id"]);
  expect(after).toEqual([fresh]);
});
