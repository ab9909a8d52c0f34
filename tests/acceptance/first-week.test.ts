import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { passwordIn, type Reply, signInWith, type Visitor, visitorOf } from "@platform/stack/console-visitor";
import { type OpenCtl, openCtl } from "@platform/stack/open-ctl";
import { readEnvFile } from "@platform/stack/settings";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { formsOf } from "./console-crawl.ts";
import { acceptanceStack, api, ctl } from "./stack.ts";

/*
 * The fifteen tasks of a project's first week. An owner does twelve of them without help: credential, rotation, return
 * URI, sender, catalog, LINE link, schedule, subscription, replay, platform events, consumer token and redrive. Three
 * need an operator: creating the client, to which the first owner is invited; image presets, which all projects share;
 * and quotas, which limit what a project costs.
 */

const { directory } = acceptanceStack;
const home = mkdtempSync(join(tmpdir(), "first-week-"));
const returnUri = "http://127.0.0.1:3000/linked";
const lineConfig = JSON.stringify({ channel_access_token: "token", default_locale: "en" });
const catalog = "templates:\n  - {key: hi, channel: line, locale: en, subject: Hi, text: Hi, variables: {}}\n";
const lineUser = (): string => `U${randomUUID().replaceAll("-", "")}`;

let owner: OpenCtl;
let visitor: Visitor;
let client: string;
let credential: { readonly id: string; readonly credential: string };
let operation: string;

/** Runs a command as the owner. */
const own = (...args: string[]): Promise<any> => owner.run(args);

beforeAll(async () => {
  client = (await ctl(["clients", "create", "--name", "First week", "--environment", "development"])).id;
  const email = readEnvFile(join(directory, "operators.env")).MEMBER_OWNER_EMAIL ?? "";
  await ctl(["members", "add", "--client", client, "--email", email, "--role", "owner"]);
  owner = openCtl(directory, { PLATFORMCTL_HOME: home });
  await own("login", "--as", "owner");
  credential = await own("credentials", "issue", "--client", client, "--scopes", "schedules:write,events:write");
  const registered = await api("POST", "/scheduled-operations", {
    credential: credential.credential,
    body: { name: "weekly", url: "https://example.com/hooks/weekly", secret: randomUUID() + randomUUID() },
  });
  operation = registered.json.data.id;
  visitor = await signInWith(visitorOf(acceptanceStack.consoleUrl), "owner", passwordIn(directory, "owner"));
});
afterAll(() => {
  owner?.close();
  rmSync(home, { recursive: true, force: true });
});

describe("with platformctl, an owner", () => {
  it("sees their project and role", async () => {
    const { roles, projects } = await own("whoami");
    expect(roles).toEqual([]);
    expect(projects).toContainEqual({ client_id: client, role: "owner" });
  });

  it("rotates a credential, and publishes with its successor", async () => {
    const rotated = await own("credentials", "rotate", "--credential-id", credential.id, "--overlap-seconds", "600");
    const published = await api("POST", "/domain-events", {
      credential: rotated.credential,
      body: { type: "order.placed", schema_version: 1, data: { order: 1 } },
    });
    expect(published.status).toBe(200);
  });

  it("replaces return URIs and switches platform events on", async () => {
    const { return_uris } = await own("clients", "update", "--client", client, "--return-uri", returnUri);
    expect(return_uris).toEqual([returnUri]);
    const { platform_events } = await own("clients", "update", "--client", client, "--platform-events", "on");
    expect(platform_events).toBe("on");
    await expect(own("trigger", "platform.file_object.rejected", "--client", client)).resolves.toBeDefined();
  });

  it("creates a sender, applies the catalog and links a LINE user", async () => {
    const what = ["--client", client, "--channel", "line", "--name", "line", "--config", lineConfig];
    expect((await own("sender-profiles", "create", ...what)).id).toMatch(/^[0-9a-f-]{36}$/);
    const file = join(home, "catalog.yaml");
    writeFileSync(file, catalog);
    expect((await own("catalog", "apply", "--client", client, "--file", file)).added).toHaveLength(1);
    const linked = await own("endpoints", "link-line", "--client", client, "--user-id", lineUser());
    expect(linked.id).toMatch(/^[0-9a-f-]{36}$/);
  });

  it("sets a schedule, subscribes, replays and issues a consumer token", async () => {
    await own("schedules", "set-cron", "--operation", operation, "--cron", "*/5 * * * *", "--timezone", "Asia/Tokyo");
    const { id } = await own("subscriptions", "create", "--operation", operation, "--types", "order.*");
    await own("subscriptions", "replay", "--subscription", id, "--from", "0");
    expect(await own("subscriptions", "pause", "--subscription", id)).toMatchObject({ status: "paused" });
    expect((await own("consumers", "issue", "--client", client, "--name", "team")).token).toMatch(/^pcons_/);
  });

  it("shows the usage of each quota, and counts the deliveries that can be retried", async () => {
    expect(await own("quotas", "show", "--client", client)).toHaveLength(8);
    const failed = ["--client", client, "--status", "failed", "--since", "1d", "--dry-run"];
    expect(await own("schedules", "redrive", ...failed)).toMatchObject({ redriven: 0 });
    expect(await own("deliveries", "retry", ...failed)).toMatchObject({ retried: 0 });
  });

  it.each([
    ["a client", () => ["clients", "create", "--name", "x", "--environment", "development"]],
    ["a quota", () => ["quotas", "set", "--client", client, "--resource", "events", "--limit", "5"]],
    [
      "an image preset",
      () => [
        ...["image-presets", "create", "--name", "x", "--format", "webp"],
        ...["--max-width", "1", "--max-height", "1", "--quality", "1"],
      ],
    ],
  ])("is rejected %s, which an operator has to set", async (_what, args) => {
    await expect(own(...args())).rejects.toThrow(/operator/);
  });
});

describe("at the console, an owner", () => {
  /** Opens a form of the project's pages, fills it in and sends it. */
  const send = async (page: string, fields: Readonly<Record<string, string>>): Promise<Reply> => {
    const path = `/projects/${client}${page}`;
    const { html, status } = await visitor.get(path);
    const form = formsOf({ path, html }).find(({ action }) => action !== "/sign-out");
    if (form === undefined) throw new Error(`${path} has no form, but status ${status}`);
    return visitor.post(form.action, { ...form.fields, ...fields });
  };

  it.each([
    ["credential", async () => `/clients/${client}/credentials/issue`, { "scope_events:write": "yes" }, "pcred"],
    [
      "successor of a credential",
      async () => {
        const { id } = await own("credentials", "issue", "--client", client, "--scopes", "events:write");
        return `/credentials/${id}/rotate`;
      },
      { overlap: "3600" },
      "pcred",
    ],
    ["consumer token", async () => "/events/consumers/issue", { name: "console" }, "pcons"],
  ])("receives a new %s once", async (_what, page, fields, kind) => {
    const { status, html } = await send(await page(), fields);
    expect([status, /data-copy="(p[a-z]+)_[0-9a-f]{32}_[0-9a-f]{64}"/.exec(html)?.[1]]).toEqual([200, kind]);
  });

  it.each([
    ["return URIs", () => `/clients/${client}/return-uris`, () => ({ return_uris: returnUri })],
    ["platform events", () => `/clients/${client}/platform-events`, () => ({ platform_events: "on" })],
    ["a sender", () => "/profiles/new", () => ({ channel: "line", name: "console", config: lineConfig })],
    ["the catalog", () => "/templates/apply", () => ({ catalog, step: "apply" })],
    ["a LINE user", () => "/endpoints/new", () => ({ user_id: lineUser() })],
    [
      "a schedule",
      () => `/schedules/${operation}/set-cron`,
      () => ({ cron: "0 9 * * *", timezone: "Asia/Tokyo", overlap: "skip" }),
    ],
    ["a subscription", () => "/events/subscriptions/new", () => ({ operation, types: "order.*", order: "none" })],
    ["failed runs to try again", () => "/schedules/redrive", () => ({ mode: "run" })],
  ])("sets %s", async (_what, page, fields) => {
    const { status, headers, html } = await send(page(), fields());
    expect(status, html).toBe(303);
    expect(headers.get("location")).toMatch(`/projects/${client}/`);
  });

  it("is shown the next due times of a schedule that they type", async () => {
    const fields = { cron: "0 9 * * *", timezone: "Europe/Berlin", overlap: "skip", step: "show" };
    const { status, html } = await send(`/schedules/${operation}/set-cron`, fields);
    expect([status, html.includes("Next due times"), html.includes("Europe/Berlin")]).toEqual([200, true, true]);
  });

  it("replays a subscription", async () => {
    const { items } = await own("subscriptions", "list", "--client", client);
    const { status } = await send(`/subscriptions/${items[0].id}/replay`, { from: "0" });
    expect(status).toBe(303);
  });

  it("starts at a page that shows recent activity, failures, and what will soon run out", async () => {
    const { status, html } = await visitor.open("/");
    expect(status).toBe(200);
    for (const heading of [
      "Last 24 hours",
      "Quotas",
      "Failing subscriptions",
      "Failed deliveries",
      "Expiring credentials",
    ])
      expect((await visitor.get(`/projects/${client}`)).html).toContain(`<h2>${heading}</h2>`);
    expect(html).toContain(client);
  });
});
