import { eventually } from "@platform/test-kit/eventually";
import { beforeAll, expect, it } from "vitest";
import { newVisitor, readSection, signIn, type Visitor } from "./console-person.ts";
import { acceptanceStack, api, ctl } from "./stack.ts";

const client = acceptanceStack.env.PROJECT_CLIENT_ID ?? "";
const waiting = { timeoutMs: 90_000, everyMs: 1_000 };
let viewer: Visitor;
let security: Visitor;
beforeAll(async () => {
  viewer = await signIn("viewer");
  security = await signIn("security", newVisitor());
});

const sectionOf = (path: string, heading: string): Promise<string> => readSection(viewer, path, heading);

it("names the missing settings where neither Prometheus nor Alertmanager is configured", async () => {
  const alerts = await sectionOf("/", "Active alerts");
  expect(alerts).toContain("<code>ALERTMANAGER_URL</code>");
  // The state is unknown, so the page must not claim that everything works.
  expect(alerts).not.toContain("No alerts are active");
  expect(await sectionOf("/", "The last 24 hours")).toContain("<code>PROMETHEUS_URL</code>");
});

it("shows the readers of the events, up to where each has read and its lag", async () => {
  const name = `reports-${Date.now()}`;
  const { id } = await ctl(["consumers", "issue", "--client", client, "--name", name]);
  await api("POST", "/domain-events", { body: { type: "console.lag", schema_version: 1, data: {} } });
  const part = await eventually(
    async () => {
      const shown = await sectionOf(`/events?client=${client}`, "Consumers");
      return /not read yet<\/td><td[^>]*>[1-9]/.test(shown) ? shown : null;
    },
    { ...waiting, what: "the lag is shown" },
  );
  expect(part).toContain(name);
  expect(part).toContain(id);
});

it("shows the state of every audit chain once a worker has verified it, and prunes only exported audits", async () => {
  const made = await ctl(["clients", "create", "--name", "Chained", "--environment", "development"]);
  const { credential } = await ctl(["credentials", "issue", "--client", made.id, "--scopes", "audit:write"]);
  const fact = {
    actor_id: "user-1",
    action: "document.published",
    resource_type: "document",
    resource_id: "d-1",
    outcome: "succeeded",
  };
  expect((await api("POST", "/project-audits", { credential, body: fact })).status).toBeLessThan(300);
  await eventually(async () => (await sectionOf(`/audits?client=${made.id}`, "Chain")).includes(">holds<"), {
    timeoutMs: 150_000,
    everyMs: 2_000,
    what: "the chain is verified",
  });
  expect((await viewer.get("/audits/chains?format=csv")).html).toContain(`${made.id},holds`);

  const path = `/audits/prune?client=${made.id}`;
  expect((await viewer.get(path)).status).toBe(403);
  const page = await security.get(path);
  expect(page.html).toContain("Erases the contents of all audits older than the chosen age");
  const csrf = /name="csrf" value="([0-9a-f]{64})"/.exec(page.html)?.[1] ?? "";
  const answer = await security.post(path, { csrf, days: "30", reason: "kept elsewhere" });
  // No record is old enough to be erased.
  expect(answer.status).toBe(303);
  expect((await security.get(answer.headers.get("location") ?? "")).html).toContain(
    "The contents of 0 audits have been erased.",
  );
});

it("shows the time to sent of a client by hour", async () => {
  expect(await sectionOf(`/deliveries?client=${client}`, "Time to sent")).toContain("From acceptance by the platform");
});
