import { randomUUID as newId } from "node:crypto";
import { passwordIn, signInWith, type Visitor, visitorOf } from "@platform/stack/console-visitor";
import { type Document, MongoClient } from "mongodb";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type OwnStack, startOwnStack } from "./own-stack.ts";

/*
 * Tests the console on a platform with 5,000 projects and 1,000,000 deliveries. The figures of the first page must
 * cover all of them, and every list without a project must be complete. The test prints how long each page took; the
 * target is 300 ms. console-lists.test.ts tests the same with few records on every run.
 */

const projects = 5_000;
const deliveries = 1_000_000;
/** Number of File Objects, of migrations and of failed runs. */
const others = 50_000;
const atOnce = 2_000;
const startMs = Date.now() - 13 * 86_400_000;

let own: OwnStack;
/**
 * One person of each role. The first page is cached briefly for people with the same roles, so it is rendered again
 * only for another role.
 */
let visitors: readonly Visitor[];
const roles = ["viewer", "support", "operator", "security", "root"] as const;
const ids = Array.from({ length: projects }, () => newId());
const newest = { deliveryId: newId(), projectId: ids.at(-1) ?? "" };
beforeAll(async () => {
  own = await startOwnStack({}, { hasSecondGateway: false, hasConsole: true });
  const mongo = await MongoClient.connect(own.stack.mongodbUri);
  const fill = async (service: string, name: string, count: number, documentOf: (at: number) => Document) => {
    const collection = mongo.db(own.stack.databaseOf(service)).collection(name);
    for (let from = 0; from < count; from += atOnce) {
      const length = Math.min(atOnce, count - from);
      await collection.insertMany(Array.from({ length }, (_, index) => documentOf(from + index)));
    }
  };
  await fill("identity", "project_clients", projects, (at) => projectOf(ids[at] ?? "", at));
  await fill("notify", "deliveries", deliveries, deliveryOf);
  await fill("files", "file_objects", others, fileOf);
  await fill("identity", "identity_migration_transactions", others, migrationOf);
  await fill("events", "scheduled_runs", others, runOf);
  await mongo.close();
  const { ports, directory } = own.stack;
  const url = `http://127.0.0.1:${ports.console}`;
  visitors = await Promise.all(
    roles.map((role) => signInWith(visitorOf(url), role, passwordIn(directory, role), "/erasures")),
  );
}, 3_600_000);
afterAll(() => own?.close());

const timeOf = (at: number, count: number): Date => new Date(startMs + Math.floor((at / count) * 13 * 86_400_000));
const ownerOf = (at: number): string => ids[at % (projects - 1)] ?? "";

function projectOf(id: string, at: number): Document {
  const times = { disabled_at: null, created_at: new Date(startMs) };
  return { _id: id, name: `Project ${at}`, environment: "sandbox", return_uris: [], quota_limits: {}, ...times };
}

/** Creates the nth delivery. Every hundredth delivery failed. The last failed one is the only delivery of its project. */
function deliveryOf(at: number): Document {
  const isLast = at === deliveries - 1;
  const isFailed = isLast || at % 100 === 0;
  const created = isLast ? new Date() : timeOf(at, deliveries);
  return {
    _id: isLast ? newest.deliveryId : newId(),
    project_client_id: isLast ? newest.projectId : ownerOf(at),
    kind: "intent",
    intent_id: newId(),
    idempotency_key: `email:${at}`,
    idempotency_fingerprint: "",
    channel: at % 1_000 === 0 ? "line" : "email",
    template_key: "welcome",
    sender_profile_id: newId(),
    endpoint_id: newId(),
    content: null,
    status: isFailed ? "failed" : "sent",
    lane: "",
    due_at: created,
    give_up_at: created,
    attempts: 1,
    provider_status: isFailed ? "rejected" : "accepted",
    last_error_code: isFailed ? "smtp_550" : null,
    attempt_log: [],
    correlation_id: newId(),
    created_at: created,
    finished_at: created,
  };
}

function fileOf(at: number): Document {
  const id = newId();
  return {
    _id: id,
    project_client_id: ownerOf(at),
    idempotency_key: id,
    idempotency_fingerprint: "",
    state: at % 500 === 0 ? "rejected" : "available",
    expected_sha256: "0".repeat(64),
    expected_content_type: "image/png",
    maximum_bytes: 10,
    upload_token_hash: id,
    grant_expires_at: timeOf(at, others),
    size_bytes: 10,
    charged_bytes: 10,
    owed: [],
    rejection_reason: null,
    malware_scan: null,
    upload_id: null,
    uploaded_at: timeOf(at, others),
    created_at: timeOf(at, others),
  };
}

function migrationOf(at: number): Document {
  const id = newId();
  return {
    _id: id,
    project_client_id: ownerOf(at),
    idempotency_key: id,
    idempotency_fingerprint: "",
    legacy_subject: `subject-${at}`,
    email: `person-${at}@example.com`,
    email_normalized: `person-${at}@example.com`,
    locale: "en",
    state: at % 500 === 0 ? "link_pending" : "completed",
    account_id: null,
    created_at: timeOf(at, others),
    expires_at: new Date(Date.now() + 86_400_000),
    linked_at: null,
    completed_at: at % 500 === 0 ? null : timeOf(at, others),
    flow_token_failures: 0,
    verification: null,
    verification_count: 0,
    last_mail_at: null,
    evidence: [],
    purge_at: null,
  };
}

function runOf(at: number): Document {
  const [operation_id, scheduled_for] = [newId(), timeOf(at, others)];
  const tries = { attempts: [], attempt_count: 1, tries_made: 1, tries_left: 0 };
  return { _id: newId(), project_client_id: ownerOf(at), operation_id, scheduled_for, state: "failed", ...tries };
}

/** Renders the page and prints the time in milliseconds: the median over people of each role, and each single time. */
async function timed(path: string): Promise<string> {
  const times: number[] = [];
  let html = "";
  for (const visitor of visitors) {
    const beganMs = performance.now();
    const reply = await visitor.get(path);
    times.push(performance.now() - beganMs);
    expect(reply.status).toBe(200);
    html = reply.html;
  }
  const ms = Math.round(times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? Number.POSITIVE_INFINITY);
  process.stdout.write(`${path.padEnd(40)} ${ms} ms (${times.map(Math.round).join(", ")})\n`);
  return html;
}

test("shows the newest failure of 1,000,000 deliveries and counts 5,000 projects on the first page", async () => {
  const html = await timed("/");
  const [first] = /href="\/deliveries\/[0-9a-f-]{36}"/.exec(html) ?? [];
  expect(first).toBe(`href="/deliveries/${newest.deliveryId}"`);
  expect(html).toContain(`Project ${projects - 1}</a>`);
  expect(html).toMatch(/5,\d{3}<\/strong> projects/);
});

test.each([
  "/clients",
  "/clients?q=4999",
  "/clients?sort=name",
  "/deliveries",
  "/deliveries?status=failed",
  "/deliveries?status=pending",
  "/deliveries?channel=line",
  "/deliveries?error_code=smtp_550",
  "/deliveries?since=1h",
  "/files",
  "/files?status=rejected",
  "/files?status=quarantined",
  "/migrations",
  "/migrations?status=link_pending",
  "/migrations?status=expired",
  "/schedules/failed",
  "/schedules/failed?since=24h",
  "/campaigns",
])("shows %s without a project", async (path) => {
  expect(await timed(path)).toContain("<main");
});

test("shows page 20 of the failed deliveries of every project", async () => {
  let path = "/deliveries?status=failed";
  for (let page = 1; page < 20; page += 1) {
    const { html } = (await visitors[0]?.get(path)) ?? { html: "" };
    path = (/rel="next" href="([^"]+)"/.exec(html)?.[1] ?? "").replaceAll("&amp;", "&");
  }
  expect(await timed(path)).toContain('href="/deliveries/');
});
