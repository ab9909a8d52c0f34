import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import { acceptanceStack, api, ctl, newClient } from "./stack.ts";

const uuidV7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const audit = {
  actor_id: "user-1",
  action: "test.done",
  resource_type: "test",
  resource_id: "1",
  outcome: "succeeded",
};

/** Time limit until a change by an operator has reached the gateways. Another test checks how fast this is. */
const soon = { timeout: 10_000 };

describe("correlation ids", () => {
  test("returns the request's correlation id in the response header and envelope", async () => {
    const id = randomUUID();
    const reply = await api("GET", "/project-client", { credential: null, headers: { "x-correlation-id": id } });
    expect(reply.headers.get("x-correlation-id")).toBe(id);
    expect(reply.json.error.correlation_id).toBe(id);
  });

  test("creates a UUIDv7 correlation id if the request has none", async () => {
    expect((await api("GET", "/project-client")).headers.get("x-correlation-id")).toMatch(uuidV7);
  });

  test("refuses a malformed correlation id where the operation declares the header, and ignores it elsewhere", async () => {
    const headers = { "x-correlation-id": "not-a-uuid" };
    const refused = await api("GET", "/project-client", { headers });
    expect(refused.status).toBe(422);
    expect(refused.json.error.details.violations[0].path).toBe("header:X-Correlation-ID");
    expect((await api("GET", "/health", { headers })).status).toBe(200);
  });
});

describe("the order of checks", () => {
  const client = newClient({ scopes: ["clients:read"] });

  test("checks the route first: returns 404 for an unknown path without a credential", async () => {
    expect((await api("GET", "/nope", { credential: null })).json.error.code).toBe("route_not_found");
    const wrongMethod = await api("DELETE", "/project-client", { credential: null });
    expect([wrongMethod.status, wrongMethod.headers.get("allow")]).toEqual([405, "GET, HEAD"]);
    const download = await api("POST", `/file-downloads/${"0".repeat(64)}`, { credential: null });
    expect([download.status, download.json.error.code, download.headers.get("allow")]).toEqual([
      405,
      "method_not_allowed",
      "GET, HEAD",
    ]);
  });

  test("checks correlation id, credential, scope and body in this order", async () => {
    const headers = { "x-correlation-id": "x" };
    expect((await api("POST", "/project-audits", { credential: null, headers, body: {} })).status).toBe(422);
    expect((await api("POST", "/project-audits", { credential: null, body: {} })).status).toBe(401);
    const { credential } = await client;
    const scoped = await api("POST", "/project-audits", { credential, body: {} });
    expect([scoped.status, scoped.json.error.details]).toEqual([403, { required_scope: "audit:write" }]);
  });

  test("counts an invalid request in api_traffic, and refuses it with 429 once the limit is reached", async () => {
    const { id, credential } = await newClient();
    await ctl(["quotas", "set", "--client", id, "--resource", "api_traffic", "--limit", "2"]);
    const statuses = [];
    for (let n = 0; n < 4; n += 1)
      statuses.push((await api("POST", "/project-audits", { credential, body: {} })).status);
    // Two requests fit into one minute. If the minute changes in between, three do.
    expect(statuses.slice(0, 2)).toEqual([422, 422]);
    expect(statuses).toContain(429);
  });

  test("replays a response although the resource quota is used up", async () => {
    const { id, credential } = await newClient();
    await ctl(["quotas", "set", "--client", id, "--resource", "audit_retention", "--limit", "1"]);
    const key = randomUUID();
    const first = await api("POST", "/project-audits", { credential, body: audit, idempotencyKey: key });
    expect(first.status).toBe(201);
    const refused = await api("POST", "/project-audits", { credential, body: audit });
    expect(refused.status).toBe(429);
    expect(refused.json.error.details).toEqual({
      resource: "audit_retention",
      used: 1,
      limit: 1,
      retry_after_seconds: 60,
    });
    expect(refused.headers.get("retry-after")).toBe("60");
    const replayed = await api("POST", "/project-audits", { credential, body: audit, idempotencyKey: key });
    expect([replayed.status, replayed.text]).toEqual([201, first.text]);
  });
});

describe("quotas", () => {
  test("accepts a refused key again once an operator raises the limit", async () => {
    const { id, credential } = await newClient();
    await ctl(["quotas", "set", "--client", id, "--resource", "events", "--limit", "1"]);
    const event = { type: "test.happened", schema_version: 1, data: {} };
    await api("POST", "/domain-events", { credential, body: event });
    const key = randomUUID();
    expect((await api("POST", "/domain-events", { credential, body: event, idempotencyKey: key })).status).toBe(429);
    await ctl(["quotas", "set", "--client", id, "--resource", "events", "--limit", "2"]);
    const tryAgain = async () =>
      (await api("POST", "/domain-events", { credential, body: event, idempotencyKey: key })).status;
    await expect.poll(tryAgain, soon).toBe(200);
  });

  test("returns the traffic limit and the remainder for operations with a credential", async () => {
    const { id, credential } = await newClient();
    await ctl(["quotas", "set", "--client", id, "--resource", "api_traffic", "--limit", "50"]);
    const reply = await api("GET", "/project-client", { credential });
    expect(reply.headers.get("ratelimit-policy")).toBe('"api_traffic";q=50;w=60');
    expect(reply.headers.get("ratelimit")).toMatch(/^"api_traffic";r=4\d;t=\d+$/);
  });

  test("shows the used quota to operators", async () => {
    const { id, credential } = await newClient();
    await api("POST", "/domain-events", { credential, body: { type: "test.happened", schema_version: 1, data: {} } });
    const rows = await ctl(["quotas", "show", "--client", id]);
    expect(rows.find((row: { resource: string }) => row.resource === "events")).toMatchObject({
      used: 1,
      window: "day",
    });
  });
});

describe("clients", () => {
  test("refuses a disabled Project Client with 403 until it is enabled again", async () => {
    const { id, credential } = await newClient();
    const verdict = async () => {
      const { status, json } = await api("GET", "/project-client", { credential });
      return [status, json.error?.code ?? null];
    };
    await ctl(["clients", "disable", "--client", id]);
    await expect.poll(verdict, soon).toEqual([403, "project_client_disabled"]);
    await ctl(["clients", "enable", "--client", id]);
    await expect.poll(verdict, soon).toEqual([200, null]);
  });

  test("accepts a rotated credential and its successor during the overlap, and only the successor without one", async () => {
    const { credential, credentialId } = await newClient();
    const rotated = await ctl(["credentials", "rotate", "--credential-id", credentialId]);
    expect((await api("GET", "/project-client", { credential })).status).toBe(200);
    expect((await api("GET", "/project-client", { credential: rotated.credential })).status).toBe(200);
    const again = await ctl(["credentials", "rotate", "--credential-id", rotated.id, "--overlap-seconds", "0"]);
    const oldStatus = async () => (await api("GET", "/project-client", { credential: rotated.credential })).status;
    await expect.poll(oldStatus, soon).toBe(401);
    expect((await api("GET", "/project-client", { credential: again.credential })).status).toBe(200);
  });
});

describe("the origin", () => {
  test("redirects / to the documentation, which loads nothing from other origins", async () => {
    const root = await fetch(`${acceptanceStack.baseUrl}/`, { redirect: "manual" });
    expect([root.status, root.headers.get("location")]).toEqual([302, "/docs"]);
    const page = await fetch(`${acceptanceStack.baseUrl}/docs`);
    const linked = [...(await page.text()).matchAll(/(?:src|href)="([^"]+)"/g)]
      .map(([, url = ""]) => new URL(url, page.url))
      .filter(({ protocol }) => protocol !== "data:");
    const { origin } = new URL(acceptanceStack.baseUrl);
    expect(linked.filter((url) => url.origin !== origin).map(String)).toEqual([]);
    for (const url of linked) expect((await fetch(url)).status, url.href).toBe(200);
    const openapi = await api("GET", "/openapi.json", { credential: null });
    expect(openapi.json.openapi).toMatch(/^3\.1/);
  });
});
