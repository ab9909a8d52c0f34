import { randomBytes, randomUUID } from "node:crypto";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { eventually } from "@platform/test-kit/eventually";
import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { acceptanceStack, type TestClient } from "./stack.ts";

const { api, ctl, newClient } = acceptanceStack;
const secret = `whsec_${randomBytes(32).toString("base64")}`;
const arrivals: { path: string; headers: IncomingHttpHeaders; body: string }[] = [];
const statuses = new Map<string, number>();
const target = createServer((request, response) => {
  let body = "";
  request.on("data", (chunk) => {
    body += chunk;
  });
  request.on("end", () => {
    const path = request.url ?? "";
    arrivals.push({ path, headers: request.headers, body });
    response.writeHead(statuses.get(path) ?? 204).end();
  });
});
let base = "";
let client: TestClient;

beforeAll(async () => {
  await new Promise<void>((resolve) => target.listen(0, "127.0.0.1", resolve));
  base = `http://127.0.0.1:${(target.address() as AddressInfo).port}`;
  client = await newClient();
});
afterAll(() => void target.close());

const register = (fields: object = {}, idempotencyKey: string = randomUUID(), credential = client.credential) =>
  api("POST", "/scheduled-operations", {
    body: { name: "nightly.report", url: `${base}/hook`, secret, ...fields },
    idempotencyKey,
    credential,
  });
const runsOf = (operation: string) => ctl(["schedules", "runs", "--operation", operation]);
const runWith = (operation: string, status: string) =>
  eventually(async () => (await runsOf(operation)).find((run: { status: string }) => run.status === status), {
    everyMs: 500,
  });

describe("scheduled operations", () => {
  test("sends an invocation as a signed call that the Standard Webhooks library verifies", async () => {
    const { status, json } = await register({ url: `${base}/signed` });
    expect(status).toBe(200);
    const { invocation_id } = await ctl(["schedules", "invoke", "--operation", json.data.id]);
    const run = await runWith(json.data.id, "succeeded");
    const arrival = arrivals.find(({ path }) => path === "/signed");
    expect(new Webhook(secret).verify(arrival?.body ?? "", arrival?.headers as Record<string, string>)).toEqual({
      operation_id: json.data.id,
      name: "nightly.report",
      invocation_id,
      scheduled_for: run.scheduled_for,
      attempt: 1,
    });
    expect(run).toEqual({
      id: invocation_id,
      scheduled_for: expect.any(String),
      status: "succeeded",
      attempts: [{ at: expect.any(String), status_code: 204, error: null }],
    });
  });

  test("lists a failed run, and repeats it under its id", async () => {
    statuses.set("/failing", 500);
    const { json } = await register({ url: `${base}/failing`, max_attempts: 1 });
    const { invocation_id } = await ctl(["schedules", "invoke", "--operation", json.data.id]);
    await runWith(json.data.id, "failed");
    statuses.delete("/failing");
    expect(await ctl(["schedules", "invoke", "--invocation", invocation_id])).toEqual({ invocation_id });
    const run = await runWith(json.data.id, "succeeded");
    expect(run.attempts.map((attempt: { status_code: number }) => attempt.status_code)).toEqual([500, 204]);
  });

  test("lists a schedule with its next due time, disables it at 410, and lets an operator enable it again", async () => {
    statuses.set("/gone", 410);
    const { json } = await register({ url: `${base}/gone` });
    const operation = json.data.id;
    const scheduled = await ctl([
      "schedules",
      "set-cron",
      "--operation",
      operation,
      "--cron",
      "0 9 1 1 *",
      "--timezone",
      "Asia/Tokyo",
    ]);
    expect(scheduled).toEqual({
      id: operation,
      name: "nightly.report",
      url: `${base}/gone`,
      max_attempts: 5,
      status: "active",
      cron: "0 9 1 1 *",
      timezone: "Asia/Tokyo",
      next_due_at: expect.stringMatching(/-01-01T00:00:00\.000Z$/),
      next_due_times: Array.from({ length: 5 }, () => expect.stringMatching(/-01-01T00:00:00\.000Z$/)),
      headers: [],
      rate: null,
    });
    await ctl(["schedules", "invoke", "--operation", operation]);
    await runWith(operation, "failed");
    const listed = async () =>
      (await ctl(["schedules", "list", "--client", client.id])).find((row: { id: string }) => row.id === operation);
    expect(await listed()).toMatchObject({ status: "disabled", next_due_at: null });
    await expect(ctl(["schedules", "invoke", "--operation", operation])).rejects.toThrow("disabled");
    await ctl(["schedules", "enable", "--operation", operation]);
    expect(await listed()).toEqual(scheduled);
  });

  test("returns one registration for a repeated key, and rejects a different one under it", async () => {
    const key = randomUUID();
    const first = await register({}, key);
    expect((await register({}, key)).json.data.id).toBe(first.json.data.id);
    for (const other of [
      { name: "other" },
      { url: `${base}/other` },
      { secret: "t".repeat(40) },
      { max_attempts: 7 },
    ]) {
      const { status, json } = await register(other, key);
      expect([status, json.error.code]).toEqual([422, "idempotency_key_reused"]);
    }
  });

  test("allows targets by the client's environment", async () => {
    const production = await newClient({ environment: "production" });
    const codeOf = async (url: string) => {
      const { status, json } = await register({ url }, randomUUID(), production.credential);
      return [status, json.error?.code];
    };
    expect(await codeOf(`${base}/hook`)).toEqual([422, "scheduled_url_not_allowed"]);
    expect(await codeOf("https://169.254.169.254/")).toEqual([422, "scheduled_url_not_allowed"]);
    expect(await codeOf("https://[::ffff:127.0.0.1]/")).toEqual([422, "scheduled_url_not_allowed"]);
    expect(await codeOf("https://2130706433/")).toEqual([422, "scheduled_url_not_allowed"]);
    expect(await codeOf("https://8.8.8.8/")).toEqual([200, undefined]);
  });

  test("refuses an invalid schedule with the reason", async () => {
    const { json } = await register();
    const setCron = (cron: string, timezone: string) =>
      ctl(["schedules", "set-cron", "--operation", json.data.id, "--cron", cron, "--timezone", timezone]);
    await expect(setCron("* * * * * *", "UTC")).rejects.toThrow("five fields");
    await expect(setCron("* * * * *", "Mars/Olympus")).rejects.toThrow("time zone");
  });
});
