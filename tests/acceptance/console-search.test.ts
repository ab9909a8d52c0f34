import { randomUUID } from "node:crypto";
import type { StoredDocument } from "@platform/test-kit/documents";
import { beforeAll, describe, expect, it } from "vitest";
import { type Reply, signIn, type Visitor } from "./console-person.ts";
import { type MarkedProject, makeMarkedProject, withDatabase } from "./console-project.ts";
import { ctl } from "./stack.ts";

let project: MarkedProject;
let viewer: Visitor;
let support: Visitor;
beforeAll(async () => {
  project = await makeMarkedProject();
  [viewer, support] = await Promise.all([signIn("viewer"), signIn("support")]);
});

const done = (reply: Reply) => ({ status: reply.status, to: reply.headers.get("location") });

describe("the search", () => {
  const search = (role: "viewer" | "support", text: string) =>
    (role === "viewer" ? viewer : support).get(`/search?q=${encodeURIComponent(text)}`);
  it.each([
    ["a delivery by its id", () => project.deliveryId, () => `/deliveries/${project.deliveryId}`],
    [
      "an endpoint by its id",
      () => project.endpointId,
      () => `/endpoints/${project.endpointId}?client=${project.clientId}`,
    ],
    [
      "a run by its invocation id",
      () => project.runId,
      () => `/schedules/${project.operationId}?client=${project.clientId}`,
    ],
    [
      "a migration by its id",
      () => project.migrationId,
      () => `/migrations/${project.migrationId}?client=${project.clientId}`,
    ],
    ["an account by its id", () => project.accountId, () => `/accounts/${project.accountId}`],
    ["a file by its id", () => project.fileId, () => `/files/${project.fileId}`],
    ["an erasure by its id", () => project.erasureId, () => `/erasures/${project.erasureId}`],
    ["a client by a credential", () => project.credential, () => `/clients/${project.clientId}`],
    [
      "a delivery by its idempotency key",
      () => `line:${project.deliveryId}`,
      () => `/deliveries/${project.deliveryId}`,
    ],
  ])("leads from a search to %s", async (_what, text, to) => {
    const reply = await search("viewer", text());
    expect(done(reply)).toEqual({ status: 303, to: to() });
  });

  it("leads to an event by its idempotency key", async () => {
    const { to } = done(await search("viewer", project.eventKey));
    expect(to).toMatch(new RegExp(`^/events\\?client=${project.clientId}&before=\\d+$`));
    expect((await viewer.get(to ?? "")).html).toContain("order.placed");
  });

  it("finds a delivery by its correlation id", async () => {
    const stored = await withDatabase("notify", (database) =>
      database.collection<StoredDocument>("deliveries").findOne({ _id: project.deliveryId }),
    );
    expect(done(await search("support", stored?.correlation_id)).to).toBe(`/deliveries/${project.deliveryId}`);
  });

  it("keeps addresses out of the URL, and explains the accepted input when nothing is found", async () => {
    expect((await search("viewer", "someone@example.com")).html).toContain(
      "To search for an address, you need to give a reason",
    );
    expect((await search("viewer", randomUUID())).html).toContain("Nothing was found");
    expect((await search("viewer", "x".repeat(300))).status).toBe(200);
  });

  it("finds from the command line the same resources as in the console", async () => {
    const { items } = await ctl(["find", "--text", project.eventKey, "--client", project.clientId]);
    expect(items).toMatchObject([{ kind: "domain_event", matched: "idempotency_key", label: "order.placed" }]);
  });
});
