import { execFile } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { homedir, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { codeGroups } from "@platform/docs-site/code-blocks";
import { guideScript } from "@platform/docs-site/guide-script";
import { type GuideRun, guideText, startGuide } from "@platform/docs-site/run-guide";
import { repositoryRoot } from "@platform/stack/stack";
import { eventually } from "@platform/test-kit/eventually";
import { freePort } from "@platform/test-kit/free-port";
import { afterAll, expect, test } from "vitest";
import { launchBrowser } from "./browser.ts";
import { acceptanceStack, ctl } from "./stack.ts";

const { baseUrl, env: demo, sinkUrl } = acceptanceStack;
/** Guides whose requests are tested elsewhere or that have none. */
const tested = new Set<string>(["README", "ask-an-assistant", "from-python-go-java", "test-in-your-ci"]);

/**
 * Environment of the reader's terminal before the guide: the location of the local stack, and a separate sign-in that
 * does not affect other test files.
 */
const home = mkdtempSync(join(tmpdir(), "guides-home-"));
const terminal = { STACK_DIR: acceptanceStack.directory, PLATFORMCTL_HOME: home };
/** Addresses of a stack on the default ports, and the addresses of this stack. */
const addresses = { "http://127.0.0.1:8080": baseUrl, "http://127.0.0.1:8025": sinkUrl };

function start(name: string, env: Readonly<Record<string, string>> = {}): GuideRun {
  tested.add(name);
  return startGuide(name, "TypeScript", { env: { ...terminal, ...env }, addresses });
}

/** Runs the commands of a guide from first to last and returns their output. */
async function run(name: string): Promise<string> {
  const page = start(name);
  await page.ended;
  return page.printed();
}

/** Parses the JSON documents in the output of a guide, each on a line of its own or directly after another one. */
function documents(printed: string): any[] {
  return [...printed.matchAll(/\{"(?:data|error)":.*?\}(?=\{"data"|\n|$)/g)].map(([text]) => JSON.parse(text));
}

test('runs the guide "your first hour" from an empty home', async () => {
  tested.add("first-hour");
  const empty = mkdtempSync(join(tmpdir(), "first-hour-"));
  try {
    const script = guideScript(guideText("first-hour"), "TypeScript", addresses);
    // npm keeps the settings of this machine, because it needs them to reach the registry. Everything else starts
    // empty.
    const { NODE_EXTRA_CA_CERTS = "" } = process.env;
    const npm = { NPM_CONFIG_USERCONFIG: join(homedir(), ".npmrc"), NODE_EXTRA_CA_CERTS };
    // The sign-in is stored in this folder, so that it does not affect tests in other files.
    const own = { ...terminal, PLATFORMCTL_HOME: join(empty, "platformctl"), HOME: empty };
    const env = { PATH: process.env.PATH ?? "", ...own, ...npm };
    // Runs in the repository itself, because this guide packs the client of its checkout.
    const bash = ["-eu", "-o", "pipefail", "-c", script];
    const { stdout } = await promisify(execFile)("bash", bash, { cwd: repositoryRoot, env });
    const printed = stdout.trim().split("\n");
    expect(printed[0]).toMatch(/^platform-client-.*\.tgz$/);
    expect(printed.slice(1, -1)).toEqual(["My product order.placed available", "1"]);
    expect(JSON.parse(printed.at(-1) ?? "")).toMatchObject({ position: 1, event: { type: "order.placed" } });
  } finally {
    rmSync(empty, { recursive: true, force: true });
  }
});

test('runs the guide "move your users"', async () => {
  const printed = await run("move-your-users");
  expect(documents(printed)[0].data).toMatchObject({ status: "pending", legacy_subject: expect.any(String) });
  expect(printed).toMatch(/<form method="post" action="[^"]+continue">/);
  expect(printed.trim().endsWith("pending")).toBe(true);
});

test('runs the guide "accept an upload"', async () => {
  const printed = await run("accept-an-upload");
  expect(documents(printed).at(-1).data.status).toMatch(/^(available|quarantined)$/);
  expect(printed).toMatch(/available [0-9a-f-]{36}\nMinutes of the meeting\n/);
});

test('runs the guide "publish an image"', async () => {
  const printed = await run("publish-an-image");
  expect(documents(printed).at(-1).data).toMatchObject({ version: 1, url: expect.stringContaining("/public-assets/") });
  expect(printed.endsWith("1 200 image/webp\n")).toBe(true);
});

test('runs the guide "send an email and a push"', async () => {
  const printed = await run("send-a-mail-and-a-push");
  expect(documents(printed).at(-1).data).toMatchObject({ delivery_id: expect.any(String) });
  expect(printed).toMatch(/^\[\{.*"channel":"email".*Hanako/m);
  expect(printed.endsWith("sent\n")).toBe(true);
});

test('runs the guide "find out why a request failed"', async () => {
  const printed = await run("find-out-why-a-request-failed");
  const [{ error }] = documents(printed);
  expect(error).toMatchObject({ code: "contract_violation", retryable: false });
  const [code, correlationId = ""] = printed.trim().split("\n").at(-1)?.split(" ") ?? [];
  expect(code?.endsWith("contract_violation")).toBe(true);
  for (const id of [error.correlation_id, correlationId]) {
    const args = ["requests", "list", "--client", demo.PROJECT_CLIENT_ID ?? "", "--correlation-id", id];
    const line = await eventually(async () => (await ctl(args)).items[0]);
    expect(line).toMatchObject({ operation: "events.publishDomainEvent", status: 422, code: "contract_violation" });
  }
});

test('runs the guide "receive a call on a schedule"', async () => {
  const page = start("call-me-on-a-schedule", { PORT: `${await freePort()}` });
  try {
    await page.ended;
    await eventually(() => /^nightly\.report \d{4}-/m.test(page.printed()), { timeoutMs: 60_000 });
  } finally {
    page.stop();
    await disable("nightly.report");
  }
});

test('runs the guide "react to events"', async () => {
  const page = start("react-to-events", { PORT: `${await freePort()}` });
  try {
    await page.ended;
    const received = () =>
      new Set(page.printed().match(/^order\.placed \/project-clients\/\S+ \{"order":"order-.+\}$/gm)).size;
    await eventually(() => received() === 2).catch(() => {
      throw new Error(`two events did not arrive:\n${page.printed()}`);
    });
  } finally {
    page.stop();
    await disable("order.events");
  }
});

/** Removes the subscription of a receiver that ended with its guide. */
async function disable(name: string): Promise<void> {
  const rows = (await ctl(["schedules", "list", "--client", demo.PROJECT_CLIENT_ID ?? ""])) as {
    id: string;
    name: string;
  }[];
  for (const { id } of rows.filter((row) => row.name === name)) await ctl(["schedules", "disable", "--operation", id]);
}

test('runs the guide "show an ad"', async () => {
  const printed = await run("show-an-ad");
  expect(printed).toContain('"recorded":true');
  const decided = await ctl(["ads", "decide", "--campaign", demo.CAMPAIGN_ID ?? ""]);
  const kit = dirname(dirname(fileURLToPath(import.meta.resolve("@platform/client/viewability"))));
  const imports = { imports: { "@platform/client/viewability": "/viewability/index.js" } };
  const code = codeGroups(guideText("show-an-ad"))
    .flat()
    .find(({ language }) => language === "ts")?.code;
  const html = `<!doctype html><title>Site</title><div id="ad" data-base-url="${baseUrl}" data-token="${decided.token}" style="width:300px;height:250px"></div>
<script type="importmap">${JSON.stringify(imports)}</script><script type="module">${code}</script>`;
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
  const [client = ""] = /^[0-9a-f-]{36}$/m.exec(await run("invite-your-team")) ?? [];
  const { items } = await ctl(["members", "list", "--client", client]);
  expect(items).toMatchObject([{ email_hint: expect.stringMatching(/^a/), role: "owner", status: "invited" }]);
});

test('runs the guide "rotate a credential yourself" as an owner, who is no operator', async () => {
  const printed = await run("rotate-a-credential");
  // Both credentials publish during the overlap; afterwards the old one is refused.
  expect(printed.match(/^200$/gm)).toHaveLength(2);
  const all: { name: string; revoked_at: string | null; rotated_to_id: string | null }[] = await ctl([
    "credentials", "list", "--client", demo.PROJECT_CLIENT_ID ?? "",
  ]); // biome-ignore format: one command
  const [old, successor] = all.filter(({ name }) => name === "billing");
  expect([old?.revoked_at, successor?.revoked_at]).toEqual([expect.any(String), null]);
});

afterAll(() => {
  rmSync(home, { recursive: true, force: true });
  const pages = readdirSync(join(repositoryRoot, "docs/guides")).map((file) => file.replace(/\.md$/, ""));
  expect(pages.filter((name) => !tested.has(name))).toEqual([]);
});
