import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { readEnvFile } from "@platform/stack/settings";
import type { StoredDocument } from "@platform/test-kit/documents";
import { beforeAll, describe, expect, it } from "vitest";
import { findSecrets, logContents, mongoContents, redisContents, secretOf } from "./abuse/secret-search.ts";
import { formsOf } from "./console-crawl.ts";
import { type Reply, type Role, roles, signIn, type Visitor } from "./console-person.ts";
import { type MarkedProject, makeMarkedProject, withDatabase } from "./console-project.ts";
import { acceptanceStack, api, ctl } from "./stack.ts";

const visitors = new Map<Role, Visitor>();
let project: MarkedProject;
beforeAll(async () => {
  project = await makeMarkedProject();
  for (const role of roles) visitors.set(role, await signIn(role));
});

function as(role: Role): Visitor {
  const visitor = visitors.get(role);
  if (visitor === undefined) throw new Error(`${role} is not signed in`);
  return visitor;
}

/** Opens a page, fills in its form and sends it. */
async function send(role: Role, path: string, fields: Readonly<Record<string, string>> = {}): Promise<Reply> {
  const visitor = as(role);
  const { html } = await visitor.get(path);
  const form = formsOf({ path, html }).find(({ action }) => action !== "/sign-out");
  if (form === undefined) throw new Error(`${path} has no form for ${role}`);
  return visitor.post(form.action, { ...form.fields, ...fields });
}

const done = (reply: Reply) => ({ status: reply.status, to: reply.headers.get("location") });
/** Returns the text of a page without its markup. */
const wordsOf = (html: string): string => html.replaceAll(/<[^>]+>/g, " ").replaceAll(/\s+/g, " ");
const tokenIn = (html: string): string => /data-copy="(p[a-z]+_[0-9a-f]{32}_[0-9a-f]{64})"/.exec(html)?.[1] ?? "";

describe("a new secret", () => {
  const client = () => `?client=${project.clientId}`;
  it.each([
    [
      "a credential",
      () => `/clients/${project.clientId}/credentials/issue`,
      { name: "twice", "scope_clients:read": "yes" },
    ],
    ["a consumer's token", () => `/events/consumers/issue${client()}`, { name: "twice" }],
    ["an ad server's token", () => `/campaigns/ad-servers/issue?campaign=${project.campaignId}`, { name: "twice" }],
  ])(
    "shows %s once, creates it once when the form is sent twice, and stores it nowhere",
    async (_what, path, fields) => {
      const visitor = as("security");
      const { html } = await visitor.get(path());
      const form = formsOf({ path: path(), html }).find(({ action }) => action !== "/sign-out");
      const body = { ...form?.fields, ...fields };
      const shown = await visitor.post(form?.action ?? "", body);
      expect([shown.status, shown.headers.get("cache-control"), shown.headers.get("location")]).toEqual([
        200,
        "no-store",
        null,
      ]);
      const secret = tokenIn(shown.html);
      expect(secret).not.toBe("");
      const again = await visitor.post(form?.action ?? "", body);
      expect([again.status, again.html.includes("already been sent"), tokenIn(again.html)]).toEqual([409, true, ""]);
      const settings = readEnvFile(join(acceptanceStack.directory, "stack.env"));
      const [, , part = ""] = secret.split("_");
      const secrets = [secretOf("the secret", part)];
      const found = [
        ...(await findSecrets(redisContents(settings.REDIS_URL ?? ""), secrets)),
        ...(await findSecrets(logContents(acceptanceStack.directory), secrets)),
        ...(await findSecrets(
          mongoContents(settings.MONGODB_URI ?? "", settings.MONGODB_DATABASE_PREFIX ?? ""),
          secrets,
        )),
      ];
      expect(found).toEqual([]);
    },
  );

  it("rejects a form without its token, and with the token of another session", async () => {
    const security = as("security");
    const path = `/events/consumers/issue${client()}`;
    const { html } = await security.get(path);
    const [form] = formsOf({ path, html }).filter(({ action }) => action !== "/sign-out");
    const csrf = form?.fields.csrf ?? "";
    expect((await security.post(path, { csrf, name: "none" })).status).toBe(409);
    const foreign = formsOf({ path, html: (await as("root").get(path)).html }).find((each) => each.fields.form);
    expect((await security.post(path, { csrf, name: "foreign", form: foreign?.fields.form ?? "" })).status).toBe(409);
    const { items } = await ctl(["consumers", "list", "--client", project.clientId]);
    expect(items.map(({ name }: { name: string }) => name)).not.toContain("foreign");
  });

  it("issues a successor for a consumer, with which its events can be read", async () => {
    const { items } = await ctl(["consumers", "list", "--client", project.clientId]);
    const reply = await send("security", `/events/consumers/${items[0].id}/rotate${client()}`, { overlap: "0" });
    expect(tokenIn(reply.html)).toMatch(/^pcons_/);
  });
});

describe("replaced secrets", () => {
  it("uses a sender profile's new secret, and never shows it again", async () => {
    const secret = `line-${randomUUID()}`;
    const path = `/profiles/${project.profileId}/rotate-secret`;
    const refused = await send("operator", path, { channel_access_token: `${secret} with spaces` });
    expect([refused.status, refused.html.includes(secret)]).toEqual([422, false]);
    const reply = await send("security", path, { channel_access_token: secret, overlap: "3600" });
    expect(done(reply)).toEqual({ status: 303, to: `/profiles/${project.profileId}` });
    expect((await as("security").get(`/profiles/${project.profileId}`)).html).not.toContain(secret);
    const shown = await ctl(["sender-profiles", "show", "--profile", project.profileId]);
    expect(shown.previous_until).not.toBeNull();
    const { items } = await ctl(["operator-actions", "list", "--rpc", "UpdateSenderProfile", "--limit", "1"]);
    expect(JSON.stringify(items)).not.toContain(secret);
  });

  it("does not show a rejected configuration again", async () => {
    const secret = `line-${randomUUID()}`;
    const reply = await send("operator", `/profiles/${project.profileId}/update`, {
      config: `{"password":"${secret}"}`,
    });
    expect([reply.status, reply.html.includes(secret)]).toEqual([422, false]);
  });

  it("signs with an operation's new secret, and never shows it again", async () => {
    const secret = `secret-${randomUUID()}`;
    const path = `/schedules/${project.operationId}/rotate-secret?client=${project.clientId}`;
    const short = await send("security", path, { secret: "too-short-secret" });
    expect([short.status, short.html.includes("too-short-secret")]).toEqual([422, false]);
    expect((await send("security", path, { secret, overlap: "3600" })).status).toBe(303);
    const stored = await withDatabase("events", (database) =>
      database.collection<StoredDocument>("scheduled_operations").findOne({ _id: project.operationId }),
    );
    expect(stored?.previous_secret_until).toBeInstanceOf(Date);
    expect((await as("security").get(`/schedules/${project.operationId}`)).html).not.toContain(secret);
  });
});

describe("settings", () => {
  it("sets the retention of one kind of record for one client", async () => {
    const path = `/clients/${project.clientId}/retention`;
    expect((await send("operator", path, { kind: "domain_events", days: "4000" })).status).toBe(422);
    expect((await send("operator", path, { kind: "domain_events", days: "77" })).status).toBe(303);
    const shown = await ctl(["retention", "show", "--client", project.clientId]);
    expect(JSON.stringify(shown)).toContain('"days":77');
    expect(wordsOf((await as("viewer").get(`/clients/${project.clientId}`)).html)).toContain("domain events 77 ");
  });

  it("sets the overlap policy of a schedule", async () => {
    const path = `/schedules/${project.operationId}/set-overlap`;
    expect((await send("operator", path, { overlap: "skip" })).status).toBe(303);
    const { html } = await as("viewer").get(`/schedules/${project.operationId}`);
    expect(wordsOf(html)).toContain("If the previous run is still in progress skip ");
  });

  it("shows both schedules if another operator's change was first, and keeps that one", async () => {
    const path = `/schedules/${project.operationId}/set-cron`;
    const operator = as("operator");
    const form = formsOf({ path, html: (await operator.get(path)).html }).find(({ action }) => action === path);
    expect(Object.keys(form?.fields ?? {})).toEqual(["csrf", "revision", "cron", "timezone", "overlap", "reason"]);
    const typed = { ...form?.fields, cron: "0 9 * * *", timezone: "UTC", overlap: "allow" };
    const operation = ["--operation", project.operationId];
    await ctl(["schedules", "set-cron", ...operation, "--cron", "0 9 * * *", "--timezone", "Asia/Tokyo"]);
    const refused = await operator.post(path, typed);
    expect(refused.status).toBe(409);
    expect(wordsOf(refused.html)).toContain("Time zone Asia/Tokyo UTC ");
    expect(await ctl(["schedules", "show", ...operation])).toMatchObject({ timezone: "Asia/Tokyo" });
    const again = formsOf({ path, html: refused.html }).find(({ action }) => action === path);
    expect((await operator.post(path, { ...typed, ...again?.fields, overlap: "allow" })).status).toBe(303);
    expect(await ctl(["schedules", "show", ...operation])).toMatchObject({ timezone: "UTC" });
  });

  it("creates a campaign, lists it first, and raises its budget", async () => {
    const name = `Console ${randomUUID()}`;
    const fields = {
      name,
      currency: "JPY",
      cpm_minor: "250",
      budget_minor: "1000",
      destination_url: "https://example.com/",
      client: project.clientId,
    };
    expect((await send("operator", "/campaigns/new", { ...fields, budget_minor: "1.5" })).status).toBe(422);
    const made = done(await send("operator", "/campaigns/new", { ...fields, ends_at: "2031-01-31T10:00" }));
    expect(made).toEqual({ status: 303, to: expect.stringMatching(/^\/campaigns\/[0-9a-f-]{36}$/) });
    const id = made.to?.split("/")[2] ?? "";
    const { html } = await as("viewer").get("/campaigns");
    expect(/href="\/campaigns\/([0-9a-f-]{36})"/.exec(html)?.[1]).toBe(id);
    expect((await send("operator", `/campaigns/${id}/raise-budget`, { budget_minor: "5000" })).status).toBe(303);
    expect(await ctl(["campaigns", "show", "--campaign", id])).toMatchObject({
      budget_minor: 5000,
      ends_at: "2031-01-31T10:00:00.000Z",
    });
  });
});

describe("revocations", () => {
  it("revokes an endpoint with a reason, and first explains the consequence", async () => {
    const path = `/endpoints/${project.endpointId}/revoke`;
    const { html } = await as("support").get(path);
    expect(html).toMatch(/Its consents are withdrawn, and the project.*orders: granted/s);
    expect((await send("support", path)).status).toBe(422);
    const reason = `asked by mail ${randomUUID()}`;
    expect((await send("support", path, { reason })).status).toBe(303);
    const { items } = await ctl(["operator-actions", "list", "--rpc", "RevokeEndpoint", "--limit", "1"]);
    expect(items).toMatchObject([{ who: "support", reason, outcome: "succeeded" }]);
    const shown = await api("GET", `/notification-endpoints/${project.endpointId}`, { credential: project.credential });
    expect(shown.json.data).toMatchObject({ status: "revoked" });
    expect((await as("support").get(`/endpoints/${project.endpointId}`)).html).not.toContain(path);
  });
});

describe("erasures", () => {
  it("erases a person by address only when it is typed twice", async () => {
    const email = `${randomUUID()}@example.com`;
    const path = "/erasures/person";
    const refused = await send("security", path, { email, confirm: "other@example.com", reason: "case 1" });
    expect([refused.status, refused.html.includes(email)]).toEqual([422, false]);
    const begun = done(await send("security", path, { email, confirm: email, reason: "case 1" }));
    expect(begun).toEqual({ status: 303, to: expect.stringMatching(/^\/erasures\/[0-9a-f-]{36}$/) });
    const list = await as("viewer").get("/erasures");
    expect(list.html).toContain(`href="${begun.to}"`);
    expect(list.html).not.toContain(email);
    expect(wordsOf((await as("viewer").get(begun.to ?? "")).html)).toContain(" Erased records ");
  });

  it("erases a client only when its name is typed, and disables it immediately", async () => {
    const name = `To be erased ${randomUUID()}`;
    const { id } = await ctl(["clients", "create", "--name", name, "--environment", "development"]);
    const path = `/clients/${id}/erase`;
    expect((await send("security", path, { confirm: "To be erased", reason: "contract ended" })).status).toBe(422);
    expect((await ctl(["clients", "show", "--client", id])).disabled).toBe(false);
    expect((await send("security", path, { confirm: name, reason: "contract ended" })).status).toBe(303);
    expect((await ctl(["clients", "show", "--client", id])).disabled).toBe(true);
  });

  it("retries the failed parts of an erasure", async () => {
    const before = await as("security").get("/erasures?status=failed");
    expect(before.html).toContain(`/erasures/${project.erasureId}`);
    expect(done(await send("security", `/erasures/${project.erasureId}/retry`)).to).toBe(
      `/erasures/${project.erasureId}`,
    );
    const after = await ctl(["erasures", "show", "--erasure", project.erasureId]);
    expect(after.steps[1].error ?? null).toBeNull();
  });
});

describe("the record of operators' actions", () => {
  it("finds an operator's action by its correlation id, for people who may read the record", async () => {
    const reply = await send("operator", `/clients/${project.clientId}/quota`, { limit: "123" });
    const correlationId = reply.headers.get("x-correlation-id") ?? "";
    expect(done(await as("security").get(`/search?q=${correlationId}`)).to).toBe(
      `/operators?correlation_id=${correlationId}`,
    );
    expect((await as("viewer").get(`/search?q=${correlationId}`)).html).toContain("Nothing was found");
    const { html } = await as("security").get(`/operators?correlation_id=${correlationId}`);
    expect(html).toContain("SetQuota");
  });
});
