import { randomBytes, randomUUID } from "node:crypto";
import { join } from "node:path";
import { readEnvFile } from "@platform/stack/settings";
import { MongoClient } from "mongodb";
import { beforeAll, describe, expect, it } from "vitest";
import { csrfOf, newVisitor, passwordOf, type Reply, screens, signIn, type Visitor } from "./console-person.ts";
import { acceptanceStack, ctl } from "./stack.ts";

const { consoleUrl, directory, env: demo } = acceptanceStack;
const campaign = `/campaigns/${demo.CAMPAIGN_ID}`;
let operator: Visitor;
let viewer: Visitor;
beforeAll(async () => {
  operator = await signIn("operator");
  viewer = await signIn("viewer");
});

const campaignStatus = async (): Promise<string> =>
  (await ctl(["campaigns", "show", "--campaign", demo.CAMPAIGN_ID ?? ""])).status;

describe("cross-site request forgery", () => {
  it.each([
    ["without a token", {}, {}],
    ["with another session's token", { csrf: randomBytes(32).toString("hex") }, {}],
  ])("refuses a form %s and does nothing", async (_case, form, headers) => {
    const reply = await operator.post(`${campaign}/pause`, form, headers);
    expect(reply.status).toBe(403);
    expect(reply.html).toContain("This form has expired");
    expect(await campaignStatus()).toBe("active");
  });

  it.each([
    ["another site says Sec-Fetch-Site", { "sec-fetch-site": "cross-site" }],
    ["a sibling host says Sec-Fetch-Site", { "sec-fetch-site": "same-site" }],
    ["another site says Origin", { origin: "https://evil.example" }],
    ["a sandboxed frame says Origin", { origin: "null" }],
  ])("refuses a form with the right token when %s", async (_case, headers) => {
    const reply = await operator.post(`${campaign}/pause`, { csrf: await csrfOf(operator) }, headers);
    expect(reply.status).toBe(403);
    expect(await campaignStatus()).toBe("active");
  });

  it("does not sign a browser out through another site's form", async () => {
    const visitor = await signIn("support");
    expect((await visitor.post("/sign-out", {}, { "sec-fetch-site": "cross-site" })).status).toBe(403);
    expect((await visitor.get("/clients")).status).toBe(200);
  });
});

describe("sessions", () => {
  it("starts a session with a new id, so that an id planted before the sign-in opens nothing (fixation)", async () => {
    const planted = randomBytes(32).toString("hex");
    const victim = await signIn("viewer", newVisitor(new Map([["console", planted]])));
    expect(victim.cookies.get("console")).toMatch(/^[0-9a-f]{64}$/);
    expect(victim.cookies.get("console")).not.toBe(planted);
    const attacker = newVisitor(new Map([["console", planted]]));
    expect((await attacker.get("/clients")).headers.get("location")).toMatch(/^\/sign-in\?/);
  });

  it("changes the session id at every sign-in, and refuses the previous id", async () => {
    const visitor = await signIn("viewer");
    const before = visitor.cookies.get("console") ?? "";
    await signIn("viewer", visitor);
    expect(visitor.cookies.get("console")).not.toBe(before);
    const old = newVisitor(new Map([["console", before]]));
    expect((await old.get("/clients")).status).toBe(303);
  });

  it("sets a cookie that scripts cannot read and that other sites' forms do not send", async () => {
    const reply = await newVisitor().get("/sign-in");
    expect(reply.headers.getSetCookie().join()).toMatch(
      /console_sign_in=[0-9a-f]{8}\.[\w+/=]+; Max-Age=600; Path=\/; Expires=[^;]+; HttpOnly; SameSite=Lax/,
    );
  });

  it("rejects a response of the provider that this browser did not request (login CSRF)", async () => {
    const attacker = newVisitor();
    const page = await attacker.open("/sign-in");
    const action = /<form[^>]*action="([^"]+)"/.exec(page.html)?.[1] ?? "";
    const answer = await attacker.post(new URL(action, page.url).href, {
      username: "viewer",
      password: passwordOf("viewer"),
    });
    let location = new URL(answer.headers.get("location") ?? "", page.url).href;
    while (!location.startsWith(`${consoleUrl}/sign-in/callback`)) {
      const next = await attacker.get(location);
      location = new URL(next.headers.get("location") ?? "", location).href;
    }
    const victim = newVisitor();
    const reply = await victim.get(location);
    expect(reply.status).toBe(403);
    expect(victim.cookies.has("console")).toBe(false);
  });

  it.each(["//evil.example/", "https://evil.example/", "/\\evil.example", "javascript:alert(1)"])(
    "redirects to the overview after a sign-in with the return path %s (open redirect)",
    async (to) => {
      const visitor = await signIn("viewer", newVisitor(), to);
      const { html } = await visitor.get("/");
      expect(html).toContain("<h1>Overview</h1>");
    },
  );

  it("opens no page with a forged session id or a forged assertion", async () => {
    const header = Buffer.from(JSON.stringify({ alg: "none" })).toString("base64url");
    const claims = Buffer.from(JSON.stringify({ sub: "root", name: "root", roles: ["root"] })).toString("base64url");
    const forger = newVisitor(new Map([["console", randomBytes(32).toString("hex")]]));
    const reply = await forger.get("/operators", { authorization: `Bearer ${header}.${claims}.` });
    expect(reply.headers.get("location")).toMatch(/^\/sign-in\?/);
  });

  it("ends a console session before any action when the operator session behind it has ended", async () => {
    const visitor = await signIn("support");
    const settings = readEnvFile(join(directory, "stack.env"));
    const mongo = await MongoClient.connect(settings.MONGODB_URI ?? "");
    await mongo
      .db(`${settings.MONGODB_DATABASE_PREFIX}identity`)
      .collection("operator_sessions")
      .findOneAndUpdate({ subject: "support" }, { $set: { ended_at: new Date() } }, { sort: { created_at: -1 } });
    await mongo.close();
    const find = { csrf: await csrfOf(visitor), reason: "expired", email: "nobody@example.com" };
    const reply = await visitor.post("/accounts/find", find);
    expect([reply.status, reply.html.includes("Accounts with this address")]).toEqual([401, false]);
    expect((await visitor.get("/clients")).status).toBe(303);
  });

  it("ends a session at sign-out, and redirects to the sign-out of the identity provider", async () => {
    const visitor = await signIn("viewer");
    const id = visitor.cookies.get("console") ?? "";
    const reply = await visitor.post("/sign-out", { csrf: await csrfOf(visitor) });
    expect(reply.status).toBe(303);
    expect(reply.headers.get("location")).toContain("post_logout_redirect_uri=");
    expect((await newVisitor(new Map([["console", id]])).get("/clients")).status).toBe(303);
  });
});

describe("pages", () => {
  const isStrict = ({ headers, html }: Reply): string[] => {
    const policy = headers.get("content-security-policy") ?? "";
    return [
      ...(policy.includes("frame-ancestors 'none'") && headers.get("x-frame-options") === "DENY"
        ? []
        : ["may be framed"]),
      ...(policy.includes("unsafe") || !policy.includes("default-src 'none'") ? ["weak policy"] : []),
      ...(headers.get("cache-control") === "no-store" ? [] : ["may be cached"]),
      ...(/<script(?![^>]* src=)|<style|<[^>]*\s(style|on[a-z]+)=/i.test(html.replaceAll(/"[^"]*"/g, '""'))
        ? ["inline script or style"]
        : []),
    ];
  };

  it("sends every page without framing, caching, and inline scripts or styles (clickjacking)", async () => {
    const root = await signIn("root");
    const paths = [
      ...screens.map(([path]) => path),
      campaign,
      `/clients/${demo.PROJECT_CLIENT_ID}`,
      "/nothing",
      "/status",
    ];
    const problems: string[] = [];
    for (const path of paths) problems.push(...isStrict(await root.get(path)).map((problem) => `${path}: ${problem}`));
    expect(problems).toEqual([]);
  });

  it("shows the status to everybody, and nothing else without a session", async () => {
    const stranger = newVisitor();
    expect((await stranger.get("/status")).status).toBe(200);
    for (const [path] of screens) expect((await stranger.get(path)).headers.get("location")).toMatch(/^\/sign-in\?/);
    expect((await stranger.post(`${campaign}/pause`, {})).status).toBe(401);
  });
});

describe("roles", () => {
  it("requires a reason if the role option does, and records it with the action", async () => {
    const security = await signIn("security");
    const { id } = await ctl(["clients", "create", "--name", "to be stopped", "--environment", "development"]);
    const csrf = await csrfOf(security);
    const refused = await security.post(`/clients/${id}/disable`, { csrf, confirm: "to be stopped" });
    expect([refused.status, refused.html.includes("Give a reason")]).toEqual([422, true]);
    expect((await ctl(["clients", "show", "--client", id])).disabled).toBe(false);
    const reason = `case ${randomUUID()}`;
    expect((await security.post(`/clients/${id}/disable`, { csrf, reason, confirm: "to be" })).status).toBe(422);
    expect((await security.post(`/clients/${id}/disable`, { csrf, reason, confirm: "to be stopped" })).status).toBe(
      303,
    );
    expect((await ctl(["clients", "show", "--client", id])).disabled).toBe(true);
    const { items } = await ctl(["operator-actions", "list", "--client", id, "--rpc", "DisableProjectClient"]);
    expect(items).toMatchObject([{ who: "security", roles: ["security"], reason, outcome: "succeeded" }]);
    expect((await security.get("/operators")).html).toContain(reason);
  });
});

describe("stored markup", () => {
  const markup = `<script>window.stolen=1</script>"'><img src=x onerror=window.stolen=1>`;

  it("shows markup in names, templates and values of callers as text", async () => {
    const { id } = await ctl(["clients", "create", "--name", markup, "--environment", "development"]);
    const root = await signIn("root");
    const csrf = await csrfOf(root);
    const catalog = JSON.stringify({
      templates: [
        { key: "attack", channel: "email", locale: "en", subject: markup, text: markup, html: markup, variables: {} },
      ],
    });
    const applied = await root.post(`/templates/apply?client=${id}`, { csrf, catalog, step: "apply" });
    expect(applied.status).toBe(303);
    const paths = [
      "/clients",
      `/clients/${id}`,
      "/",
      `/templates?client=${id}`,
      `/templates/preview?client=${id}&key=attack`,
      `/templates/apply?client=${id}`,
      `/search?q=${encodeURIComponent(`<script>window ${id}`)}`,
      `/deliveries?client=${id}&error_code=${encodeURIComponent(markup)}`,
    ];
    for (const path of paths) {
      const { html, status } = await root.get(path);
      expect([path, status, html.includes("<script>window"), html.includes("<img src=x")]).toEqual([
        path,
        200,
        false,
        false,
      ]);
    }
    expect((await root.get("/clients")).html).toContain("&lt;script&gt;window.stolen");
  });

  it("writes no cell that a spreadsheet interprets as a formula into a download", async () => {
    await ctl(["clients", "create", "--name", '=HYPERLINK("https://evil.example")', "--environment", "development"]);
    const reply = await viewer.get("/clients?format=csv");
    expect(reply.headers.get("content-type")).toContain("text/csv");
    expect(reply.html).toContain(`"'=HYPERLINK(""https://evil.example"")"`);
  });
});
