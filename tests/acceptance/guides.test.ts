import { randomBytes } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { homedir, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { createClient } from "@platform/client";
import { repositoryRoot } from "@platform/stack/stack";
import { eventually } from "@platform/test-kit/eventually";
import { freePort } from "@platform/test-kit/free-port";
import { Webhook } from "standardwebhooks";
import { afterAll, expect, test } from "vitest";
import { type GuidePage, guidePage, runShell, shellBlocks, typedPage } from "./guide-page.ts";
import { launchBrowser } from "./identity-person.ts";
import { acceptanceStack, ctl } from "./stack.ts";

const { baseUrl, env: demo, sinkUrl } = acceptanceStack;
/** Pages whose requests are tested elsewhere, or which have none. */
const tested = new Set<string>(["README", "ask-an-assistant", "from-python-go-java", "test-in-your-ci"]);

function page(name: string): GuidePage {
  tested.add(name);
  return guidePage(name);
}

/** Environment of a reader: the demo project's settings, and a user of their own. */
function reader(more: Readonly<Record<string, string>> = {}): Record<string, string> {
  return { ...demo, BASE_URL: baseUrl, USER_ID: `user-${crypto.randomUUID()}`, ...more };
}

const picture = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==",
  "base64",
);

function temporaryFile(name: string, content: Buffer | string): string {
  const path = join(tmpdir(), `guides-${crypto.randomUUID()}-${name}`);
  writeFileSync(path, content);
  return path;
}

test('runs the guide "your first hour" from an empty home', async () => {
  tested.add("first-hour");
  const home = mkdtempSync(join(tmpdir(), "first-hour-"));
  try {
    const script = typedPage("first-hour", "first.js").replace("http://127.0.0.1:8080", baseUrl);
    // npm uses this machine's registry settings; everything else is new.
    const { NODE_EXTRA_CA_CERTS = "" } = process.env;
    const npm = { NPM_CONFIG_USERCONFIG: join(homedir(), ".npmrc"), NODE_EXTRA_CA_CERTS };
    // The sign-in belongs to the reader: commands of other files are not affected.
    const env = {
      STACK_DIR: acceptanceStack.directory,
      PLATFORMCTL_HOME: join(home, "platformctl"),
      HOME: home,
      ...npm,
    };
    const printed = (await runShell(script, env)).trim().split("\n");
    expect(printed[0]).toMatch(/^platform-client-.*\.tgz$/);
    expect(printed.slice(1, -1)).toEqual(["My product order.placed available", "1"]);
    expect(JSON.parse(printed.at(-1) ?? "")).toMatchObject({ position: 1, event: { type: "order.placed" } });
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
});

test('runs the guide "move your users"', async () => {
  const { curl, typescript } = page("move-your-users");
  const env = reader({
    EXPIRES_AT: new Date(Date.now() + 3_600_000).toISOString(),
    RETURN_URI: "http://127.0.0.1:8999/return",
  });
  expect(JSON.parse(await curl(env)).data).toMatchObject({ status: "pending", legacy_subject: env.USER_ID });
  const printed = await typescript(env);
  expect(printed).toMatch(/<form method="post" action="[^"]+continue">/);
  expect(printed.trim().endsWith("pending")).toBe(true);
});

test('runs the guide "accept an upload"', async () => {
  const { curl, typescript } = page("accept-an-upload");
  expect(await curl(reader())).toMatch(/"status":"(available|quarantined)"/);
  const printed = await typescript(reader({ FILE: temporaryFile("minutes.txt", "Minutes of the meeting\n") }));
  expect(printed).toMatch(/^available [0-9a-f-]{36}\nMinutes of the meeting/);
});

test('runs the guide "publish an image"', async () => {
  const { curl, typescript } = page("publish-an-image");
  const client = createClient({ baseUrl, credential: acceptanceStack.credential });
  const { fileObjectId } = await client.uploadFile(picture, { contentType: "image/png" });
  const answer = JSON.parse(await curl(reader({ FILE_OBJECT_ID: fileObjectId })));
  expect(answer.data).toMatchObject({ version: 1, url: expect.stringContaining("/public-assets/") });
  expect(await typescript(reader({ IMAGE: temporaryFile("cover.png", picture) }))).toBe("1 200 image/webp\n");
});

test('runs the guide "send an email and a push"', async () => {
  const { curl, typescript } = page("send-a-mail-and-a-push");
  const env = reader();
  expect(await curl(env)).toContain('"delivery_id"');
  await eventually(async () => {
    const address = encodeURIComponent(`${env.USER_ID}@example.com`);
    const mails = (await (await fetch(`${sinkUrl}/messages?channel=email&to=${address}`)).json()) as { raw: string }[];
    return mails.some(({ raw }) => raw.includes("Hanako"));
  });
  const device = `
    async function receivedByDevice(): Promise<string> {
      const query = new URLSearchParams({ channel: "fcm", to: process.env.REGISTRATION_TOKEN!, count: "1", wait_ms: "15000" });
      const [push] = (await (await fetch("${sinkUrl}/messages?" + query)).json()) as { raw: string }[];
      return /"token"\\s*:\\s*"([0-9a-f]{64})"/.exec(push.raw)![1];
    }`;
  const registration = reader({ REGISTRATION_TOKEN: `registration-${crypto.randomUUID()}` });
  expect(await typescript(registration, device)).toBe("sent null\n");
});

test('runs the guide "find out why a request failed"', async () => {
  const { curl, typescript } = page("find-out-why-a-request-failed");
  const { error } = JSON.parse(await curl(reader()));
  expect(error).toMatchObject({ code: "contract_violation", retryable: false });
  const [code, correlationId = ""] = (await typescript(reader())).trim().split(" ");
  expect(code).toBe("contract_violation");
  for (const id of [error.correlation_id, correlationId]) {
    const args = ["requests", "list", "--client", demo.PROJECT_CLIENT_ID ?? "", "--correlation-id", id];
    const line = await eventually(async () => (await ctl(args)).items[0]);
    expect(line).toMatchObject({ operation: "events.publishDomainEvent", status: 422, code: "contract_violation" });
  }
});

/** A port on which nobody listens yet, and a secret. */
async function endpoint(): Promise<{ PORT: string; WEBHOOK_SECRET: string }> {
  return { PORT: `${await freePort()}`, WEBHOOK_SECRET: `whsec_${randomBytes(32).toString("base64")}` };
}

test('runs the guide "be called on a schedule"', async () => {
  const { curl, serve } = page("call-me-on-a-schedule");
  const env = reader(await endpoint());
  const server = serve(env);
  try {
    const { data } = JSON.parse(await curl(env));
    await ctl(["schedules", "invoke", "--operation", data.id]);
    await eventually(() => /^nightly\.report \d{4}-/.test(server.printed()), { timeoutMs: 60_000 });
  } finally {
    server.stop();
  }
});

test('runs the guide "react to events"', async () => {
  const { curl, serve } = page("react-to-events");
  const env = reader(await endpoint());
  const { data: published } = JSON.parse(await curl(env));
  expect(published).toMatchObject({ type: "order.placed", sequence: 1 });
  const server = serve(env);
  try {
    const id = crypto.randomUUID();
    const body = JSON.stringify({
      specversion: "1.0",
      id,
      source: "/project-clients/x",
      type: "order.placed",
      data: { n: 1 },
    });
    const now = new Date();
    const headers = {
      "content-type": "application/cloudevents+json",
      "webhook-id": id,
      "webhook-timestamp": `${Math.floor(now.getTime() / 1000)}`,
      "webhook-signature": new Webhook(env.WEBHOOK_SECRET ?? "").sign(id, now, body),
    };
    const post = () => fetch(`http://127.0.0.1:${env.PORT}/`, { method: "POST", headers, body }).catch(() => null);
    await eventually(async () => (await post())?.status === 200);
    expect((await post())?.status).toBe(200);
    expect(server.printed()).toBe('order.placed /project-clients/x {"n":1}\n');
  } finally {
    server.stop();
  }
});

test('runs the guide "show an ad"', async () => {
  const { curl, source } = page("show-an-ad");
  const decide = async () => (await ctl(["ads", "decide", "--campaign", demo.CAMPAIGN_ID ?? ""])).token as string;
  expect(await curl(reader({ AD_TOKEN: await decide() }))).toContain('"recorded":true');
  const kit = dirname(dirname(fileURLToPath(import.meta.resolve("@platform/client/viewability"))));
  const imports = { imports: { "@platform/client/viewability": "/viewability/index.js" } };
  const html = `<!doctype html><title>Site</title><div id="ad" data-base-url="${baseUrl}" data-token="${await decide()}" style="width:300px;height:250px"></div>
<script type="importmap">${JSON.stringify(imports)}</script><script type="module">${source}</script>`;
  const site = createServer((request, response) => {
    const isScript = request.url?.endsWith(".js") === true;
    response.writeHead(200, { "content-type": isScript ? "text/javascript" : "text/html" });
    response.end(isScript ? readFileSync(join(kit, request.url ?? "")) : html);
  }).listen(0, "127.0.0.1");
  await new Promise((resolve) => site.once("listening", resolve));
  const browser = await launchBrowser();
  try {
    const tab = await browser.newPage();
    await tab.goto(`http://127.0.0.1:${(site.address() as AddressInfo).port}/`);
    await tab.waitForFunction(`document.title !== "Site"`);
    expect(await tab.title()).toBe("seen");
  } finally {
    await browser.close();
    site.closeAllConnections();
    site.close();
  }
});

test('runs the guide "invite your team"', async () => {
  tested.add("invite-your-team");
  const home = mkdtempSync(join(tmpdir(), "invite-your-team-"));
  const env = { STACK_DIR: acceptanceStack.directory, PLATFORMCTL_HOME: home };
  const client = (await ctl(["clients", "create", "--name", "My team", "--environment", "development"])).id as string;
  const [YOUR_ADDRESS, COLLEAGUE] = ["ann@team.example", "ben@team.example"] as const;
  try {
    await runShell("npx platformctl login --as root", env);
    await runShell(shellBlocks("invite-your-team"), { ...env, PROJECT_CLIENT_ID: client, YOUR_ADDRESS, COLLEAGUE });
    const { items } = await ctl(["members", "list", "--client", client]);
    expect(items).toMatchObject([{ email_hint: expect.stringMatching(/^a/), role: "owner", status: "invited" }]);
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
});

afterAll(() => {
  const pages = readdirSync(join(repositoryRoot, "docs/guides")).map((file) => file.replace(/\.md$/, ""));
  expect(pages.filter((name) => !tested.has(name))).toEqual([]);
});
