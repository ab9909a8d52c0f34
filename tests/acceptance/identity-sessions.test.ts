import { randomUUID } from "node:crypto";
import { eventually } from "@platform/test-kit/eventually";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  openProjectSite,
  type ProjectSite,
  password,
  readMail,
  readStatus,
  startMigration,
} from "./identity-person.ts";
import { acceptanceStack } from "./stack.ts";

const { api, ctl } = acceptanceStack;
let site: ProjectSite;
beforeAll(async () => {
  site = await openProjectSite();
});
afterAll(() => site.close());

async function makeAccount(
  email: string,
  ...flags: string[]
): Promise<{ id: string; session: string; sessionId: string }> {
  const made = await ctl(["accounts", "create", "--email", email, "--password", password, ...flags]);
  const opened = await ctl(["sessions", "create", "--account", made.id]);
  const [listed] = await ctl(["sessions", "list", "--account", made.id]);
  expect([Object.keys(made), Object.keys(opened)]).toEqual([["id"], ["session"]]);
  return { id: made.id, session: opened.session, sessionId: listed.id };
}

function link(id: string, session: string | null, flowToken: string) {
  return api("POST", `/identity-migration-transactions/${id}/link`, {
    credential: session,
    idempotencyKey: null,
    body: { flow_token: flowToken },
  });
}

describe("link by a Platform Session", () => {
  test("links with a verified session, and rejects a stale one, a Project Credential and none", async () => {
    const started = await startMigration(site);
    const account = await makeAccount(started.email);
    const asked = await api("POST", `/identity-migration-transactions/${started.id}/email-verification`, {
      credential: account.session,
      body: { flow_token: started.flowToken },
    });
    expect(asked).toMatchObject({ status: 202, json: { data: { status: "verification_pending" } } });
    expect((await link(started.id, account.session, started.flowToken)).json.error.code).toBe("email_not_verified");
    const { link: mailed } = await readMail(started.email);
    expect((await fetch(mailed, { method: "HEAD" })).status).toBe(200);
    const verified = await fetch(mailed);
    expect([verified.status, await verified.json()]).toEqual([200, { data: { status: "verified" } }]);
    const replayed = await fetch(mailed);
    expect([replayed.status, ((await replayed.json()) as { error: { code: string } }).error.code]).toEqual([
      422,
      "verification_link_invalid",
    ]);

    const stale = await ctl(["sessions", "create", "--account", account.id, "--authenticated-seconds-ago", "700"]);
    const refused = await link(started.id, stale.session, started.flowToken);
    expect([refused.status, refused.json.error.code]).toEqual([403, "recent_authentication_required"]);
    expect((await link(started.id, site.client.credential, started.flowToken)).status).toBe(401);
    expect((await link(started.id, null, started.flowToken)).status).toBe(401);
    const linked = await link(started.id, account.session, started.flowToken);
    expect(linked).toMatchObject({ status: 200, json: { data: { status: "link_pending", account_id: account.id } } });
    expect((await link(started.id, account.session, started.flowToken)).json).toEqual(linked.json);
    expect(linked.json.data.flow_token).toBeUndefined();
  });

  test("refuses a revoked session within a second on every gateway", async () => {
    const account = await makeAccount(`${randomUUID()}@example.com`, "--verified");
    const started = await startMigration(site);
    const gateways = [acceptanceStack.baseUrl, acceptanceStack.secondBaseUrl];
    const tryOn = (baseUrl: string) =>
      api("POST", `/identity-migration-transactions/${started.id}/link`, {
        baseUrl,
        credential: account.session,
        body: { flow_token: "0".repeat(64) },
      });
    for (const baseUrl of gateways) expect((await tryOn(baseUrl)).json.error.code).toBe("flow_token_invalid");
    await ctl(["sessions", "revoke", "--session-id", account.sessionId]);
    await eventually(async () => (await Promise.all(gateways.map(tryOn))).every(({ status }) => status === 401));
    expect(await ctl(["sessions", "list", "--account", account.id])).toEqual([]);
    expect((await readStatus(site, started.id)).status).toBe("pending");
  });
});

test("recovers transaction and continuation, with their tokens, on an identical retry through either gateway", async () => {
  const key = randomUUID();
  const body = {
    project_client_id: site.client.id,
    legacy_subject: "retried",
    email: "retried@example.com",
    locale: "en",
    correlation_id: randomUUID(),
    expires_at: new Date(Date.now() + 3_600_000).toISOString(),
  };
  const { credential } = site.client;
  const path = "/identity-migration-transactions";
  const first = await api("POST", path, { credential, idempotencyKey: key, body });
  const again = await api("POST", path, {
    credential,
    idempotencyKey: key,
    body,
    baseUrl: acceptanceStack.secondBaseUrl,
  });
  expect(first.status).toBe(201);
  expect([again.status, again.json, again.headers.get("idempotency-replayed")]).toEqual([201, first.json, "true"]);
  const other = await api("POST", path, {
    credential,
    idempotencyKey: key,
    body: { ...body, legacy_subject: "other" },
  });
  expect([other.status, other.json.error.code]).toEqual([422, "idempotency_key_reused"]);

  const continuation = {
    credential,
    idempotencyKey: key,
    body: { flow_token: first.json.data.flow_token, return_uri: site.returnUri, state: "s" },
  };
  const made = await api("POST", `${path}/${first.json.data.id}/hosted-continuations`, continuation);
  const recovered = await api("POST", `${path}/${first.json.data.id}/hosted-continuations`, continuation);
  expect(made.status).toBe(201);
  expect(recovered.json).toEqual(made.json);
});

test("returns 404 for another Project Client's transaction on GET and not found elsewhere", async () => {
  const started = await startMigration(site);
  const { credential } = await acceptanceStack.newClient();
  const path = `/identity-migration-transactions/${started.id}`;
  const read = await api("GET", path, { credential });
  const absent = await api("GET", `/identity-migration-transactions/${randomUUID()}`, { credential });
  expect([read.status, read.json.error.code]).toEqual([404, "identity_migration_transaction_not_found"]);
  expect({ ...read.json.error, correlation_id: "" }).toEqual({ ...absent.json.error, correlation_id: "" });
  const confirmed = await api("POST", `${path}/confirm-link`, { credential });
  expect([confirmed.status, confirmed.json.error.code]).toEqual([422, "identity_migration_transaction_not_found"]);
});
