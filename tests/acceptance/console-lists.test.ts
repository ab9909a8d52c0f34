import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { readEnvFile } from "@platform/stack/settings";
import type { StoredDocument } from "@platform/test-kit/documents";
import { eventually } from "@platform/test-kit/eventually";
import { MongoClient } from "mongodb";
import { beforeAll, expect, it } from "vitest";
import { signIn, type Visitor } from "./console-person.ts";
import { acceptanceStack, ctl } from "./stack.ts";

const count = 10_000;
/** Error code of a provider as it is stored and shown. */
const markup = `<img src=x onerror=alert(1)>"'`;
let client: string;
let other: { id: string; name: string };
const newest = randomUUID();
let viewer: Visitor;
beforeAll(async () => {
  const made = await ctl(["clients", "create", "--name", "10,000 deliveries", "--environment", "development"]);
  client = made.id;
  const name = `The newest failure ${newest}`;
  other = await ctl(["clients", "create", "--name", name, "--environment", "sandbox"]);
  const settings = readEnvFile(join(acceptanceStack.directory, "stack.env"));
  const mongo = await MongoClient.connect(settings.MONGODB_URI ?? "");
  const startMs = Date.now() - 24 * 3_600_000;
  const documents = Array.from({ length: count }, (_, index) => ({
    _id: randomUUID(),
    project_client_id: client,
    kind: "intent",
    intent_id: randomUUID(),
    idempotency_key: `email:${index}`,
    idempotency_fingerprint: "",
    channel: "email",
    template_key: markup,
    sender_profile_id: randomUUID(),
    endpoint_id: randomUUID(),
    purpose: null,
    verification_generation: null,
    content: null,
    status: "failed",
    lane: "",
    due_at: new Date(startMs),
    give_up_at: new Date(startMs),
    attempts: 1,
    provider_status: "rejected",
    last_error_code: markup,
    attempt_log: [],
    correlation_id: randomUUID(),
    traceparent: null,
    created_at: new Date(startMs + index),
    finished_at: new Date(startMs + index),
  }));
  // Excludes deliveries that fail while this file runs, because they are newer.
  const latest = new Date(Date.now() + 3_600_000);
  const failure = { ...documents[0], _id: newest, project_client_id: other.id, created_at: latest };
  await mongo
    .db(`${settings.MONGODB_DATABASE_PREFIX ?? ""}notify`)
    .collection<StoredDocument>("deliveries")
    .insertMany([...documents, failure]);
  await mongo.close();
  viewer = await signIn("viewer");
});

const idsOf = (html: string): string[] =>
  [...html.matchAll(/href="\/deliveries\/([0-9a-f-]{36})"/g)].map(([, id = ""]) => id);

it("shows the newest failure of any project on the first page and in the list of all projects", async () => {
  const overview = await eventually(
    async () => {
      const { html } = await viewer.get("/");
      // Pages that were rendered before the delivery failed may also contain the name of the project, so this awaits the link to the delivery.
      return idsOf(html).includes(newest) ? html : null;
    },
    { what: "the first page shows the failure" },
  );
  const link = `href="/clients/${other.id}" title="${other.id}">${other.name}</a>`;
  expect(overview).toContain(link);
  const { html } = await viewer.get("/deliveries?status=failed");
  // Tests in other files create failed deliveries meanwhile.
  expect(idsOf(html)).toContain(newest);
  expect(html).toContain(link);
  const { items } = await ctl(["deliveries", "list", "--status", "failed", "--limit", "50"]);
  expect(items).toContainEqual(expect.objectContaining({ id: newest, project_client_id: other.id }));
});

it.each([
  ["deliveries", ["deliveries", "list"]],
  ["files", ["files", "list"]],
  ["migrations", ["migrations", "list"]],
  ["schedules/failed", ["schedules", "failed"]],
])("lists %s of every project, on pages and from the command line", async (path, command) => {
  const { status, html } = await viewer.get(`/${path}`);
  expect([status, html.includes(">Project</th>") || html.includes('class="empty')]).toEqual([200, true]);
  for (const item of (await ctl([...command, "--limit", "3"])).items)
    expect(item.project_client_id).toMatch(/^[0-9a-f-]{36}$/);
});

it("links to the next and the previous page of a list", async () => {
  const linkOf = (html: string, rel: string): string | undefined =>
    new RegExp(`rel="${rel}" href="([^"]+)"`).exec(html)?.[1]?.replaceAll("&amp;", "&");
  const shown: string[][] = [];
  let path: string | undefined = `/deliveries?client=${client}`;
  for (let page = 0; page < 3 && path !== undefined; page += 1) {
    const { html } = await viewer.get(path);
    shown.push(idsOf(html));
    path = page < 2 ? linkOf(html, "next") : linkOf(html, "prev");
  }
  for (const before of [1, 0]) {
    const { html } = await viewer.get(path ?? "");
    expect(idsOf(html)).toEqual(shown[before]);
    path = linkOf(html, "prev");
  }
  expect(path).toBeUndefined();
});

it("pages through 10,000 deliveries, each page with distinct rows", async () => {
  const seen = new Set<string>();
  let path: string | null = `/deliveries?client=${client}&status=failed`;
  for (let page = 0; page < 20 && path !== null; page += 1) {
    const { html, status } = await viewer.get(path);
    expect([status, idsOf(html).length]).toEqual([200, 50]);
    for (const id of idsOf(html)) seen.add(id);
    const next = /rel="next" href="([^"]+)"/.exec(html)?.[1];
    path = next === undefined ? null : next.replaceAll("&amp;", "&");
  }
  expect(seen.size).toBe(1_000);
});

it("downloads all 10,000 deliveries as CSV and as NDJSON", async () => {
  const csv = await viewer.get(`/deliveries?client=${client}&format=csv`);
  expect(csv.html.trimEnd().split("\r\n")).toHaveLength(count + 1);
  const ndjson = await viewer.get(`/deliveries?client=${client}&format=ndjson`);
  const rows = ndjson.html
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as { id: string; last_error_code: string });
  expect(new Set(rows.map(({ id }) => id)).size).toBe(count);
  expect(rows[0]?.last_error_code).toBe(markup);
});

it("shows markup in errors and template keys as text (stored markup)", async () => {
  const { html } = await viewer.get(`/deliveries?client=${client}`);
  expect(html).not.toContain("<img src=x");
  expect(html).toContain("&lt;img src=x onerror=alert(1)&gt;&quot;&#39;");
  const [id = ""] = idsOf(html);
  expect((await viewer.get(`/deliveries/${id}`)).html).not.toContain("<img src=x");
});

it("counts all failed deliveries of a filter for the role support, without sending any", async () => {
  const support = await signIn("support");
  const path = `/deliveries/retry?client=${client}&since=7d`;
  const csrf = /name="csrf" value="([0-9a-f]{64})"/.exec((await support.get(path)).html)?.[1] ?? "";
  const reply = await support.post(path, { csrf, mode: "count" });
  const { html } = await support.get(reply.headers.get("location") ?? "");
  expect(html).toContain(`${count} failed deliveries match`);
});
