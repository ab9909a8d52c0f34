import { randomUUID } from "node:crypto";
import type { StoredDocument } from "@platform/test-kit/documents";
import { beforeAll, expect, it } from "vitest";
import { csrfOf, newVisitor, signIn, type Visitor } from "./console-person.ts";
import { withDatabase } from "./console-project.ts";
import { api, ctl, newClient } from "./stack.ts";

type Line = Readonly<Record<string, string | number | null>>;

let viewer: Visitor;
let security: Visitor;
beforeAll(async () => {
  viewer = await signIn("viewer");
  security = await signIn("security", newVisitor());
});

const linesOf = (ndjson: string): Line[] =>
  ndjson
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Line);

/** Stores more records than one page of the RPC has; every fifth has another actor. */
async function storeAudits(clientId: string, count: number): Promise<void> {
  const hashOf = (seq: number): string => String(seq).padStart(64, "0");
  const documents = Array.from({ length: count }, (_, index) => ({
    _id: randomUUID(),
    project_client_id: clientId,
    seq: index + 1,
    actor_id: index % 5 === 0 ? "=staff" : "user:1",
    action: "order.refund",
    resource_type: "order",
    resource_id: `A-${index}`,
    outcome: "succeeded",
    recorded_at: new Date(Date.now() - 86_400_000 + index),
    previous_hash: hashOf(index),
    hash: hashOf(index + 1),
    idempotency_key: randomUUID(),
    idempotency_fingerprint: "",
  }));
  await withDatabase("events", (database) =>
    database.collection<StoredDocument>("project_audits").insertMany(documents),
  );
}

it("exports every record of a client as NDJSON and CSV, and with the page's filters only those that fit", async () => {
  const { id } = await newClient();
  await storeAudits(id, 2_345);
  const page = `/audits?client=${id}`;
  expect((await viewer.get(page)).html).toContain("Export all as NDJSON");
  const { html, headers } = await viewer.get(`${page}&format=ndjson`);
  expect(headers.get("content-disposition")).toContain("audits.ndjson");
  const lines = linesOf(html);
  expect(lines.map(({ seq }) => seq)).toEqual(Array.from({ length: 2_345 }, (_, index) => index + 1));
  // Each line contains the hash of the previous line.
  expect(lines.slice(1).filter(({ previous_hash }, index) => previous_hash !== lines[index]?.hash)).toEqual([]);
  expect(Object.keys(lines[0] ?? {})).toEqual(
    "seq id actor_id action resource_type resource_id outcome recorded_at previous_hash hash".split(" "),
  );
  const ofStaff = `${page}&actor=${encodeURIComponent("=staff")}&format=ndjson`;
  const actorsSeenBy = async (visitor: Visitor) =>
    linesOf((await visitor.get(ofStaff)).html).map((line) => line.actor_id);
  // Actors are masked for people whose roles may not reveal addresses.
  expect(await actorsSeenBy(security)).toEqual(Array.from({ length: 469 }, () => "=staff"));
  expect(await actorsSeenBy(viewer)).toEqual(Array.from({ length: 469 }, () => "***"));
  const csv = (await security.get(`${page}&resource_id=A-0&format=csv`)).html.trimEnd().split("\r\n");
  expect(csv).toHaveLength(2);
  // A spreadsheet must not interpret the cell as a formula.
  expect(csv[1]).toMatch(/^1,[0-9a-f-]{36},'=staff,order\.refund,/);
});

it("records an export by its last line, only for the role security, and rejects a line that is not in the chain", async () => {
  const { id, credential } = await newClient();
  const fact = { actor_id: "user-1", action: "order.refund", resource_type: "order", outcome: "succeeded" };
  for (const resource_id of ["A-1", "A-2"])
    expect((await api("POST", "/project-audits", { credential, body: { ...fact, resource_id } })).status).toBe(201);
  const last = linesOf((await security.get(`/audits?client=${id}&format=ndjson`)).html).at(-1);
  const path = `/audits/mark-exported?client=${id}`;
  expect((await viewer.get(path)).status).toBe(403);
  expect((await viewer.post(path, { csrf: await csrfOf(viewer), seq: "2", hash: String(last?.hash) })).status).toBe(
    403,
  );
  const note = async (seq: string, hash: string) => security.post(path, { csrf: await csrfOf(security), seq, hash });
  expect((await note("2", "0".repeat(64))).status).toBe(422);
  expect((await note("3", String(last?.hash))).status).toBe(422);
  expect((await note("last", String(last?.hash))).status).toBe(422);
  expect((await note("2", String(last?.hash))).status).toBe(303);
  const { html } = await viewer.get(`/audits?client=${id}`);
  expect(html.replaceAll(/<[^>]+>/g, " ")).toMatch(/Exported up to\s+2\s/);
  const acts = await ctl(["operator-actions", "list", "--client", id]);
  expect(JSON.stringify(acts)).toContain("MarkProjectAuditsExported");
});
