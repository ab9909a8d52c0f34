import { once } from "node:events";
import { addressVariables } from "@platform/contracts/service-addresses";
import { serviceNames } from "@platform/contracts/services";
import { createLogger } from "@platform/kit/process/telemetry";
import { connectRedis, type RedisConnection } from "@platform/quota/connect-redis";
import { freePort } from "@platform/test-kit/free-port";
import { startTestRedis, type TestRedis } from "@platform/test-kit/redis";
import { sampleClientId, sampleYear } from "@platform/test-kit/sample-message";
import { serveSamples } from "@platform/test-kit/sample-services";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readConfig } from "../src/config.ts";
import { type Console, createConsole } from "../src/create-console.ts";
import type { Screen } from "../src/http/screen.ts";
import { tailPath } from "../src/http/screens/event-tail.ts";
import { screens } from "../src/http/screens.ts";
import { createSessionStore } from "../src/redis/sessions.ts";
import { readablePage } from "./readable-page.ts";

/*
 * Every page of the console as root sees it, with the calls that it makes, as files that a change shows in its diff. The services answer with a sample
 * of each reply. Each form is also sent: empty, and filled in.
 * `npx vitest run --project service apps/console/tests/pages.test.ts -u` writes the files anew.
 */

const csrf = "c".repeat(64);
let samples: Awaited<ReturnType<typeof serveSamples>>;
let redisServer: TestRedis;
let redis: RedisConnection;
let served: Console;
let baseUrl: string;
let cookie: string;
beforeAll(async () => {
  [samples, redisServer] = await Promise.all([serveSamples(), startTestRedis()]);
  const port = await freePort();
  baseUrl = `http://127.0.0.1:${port}`;
  const config = readConfig({
    HTTP_PORT: `${port}`,
    PROBE_PORT: `${await freePort()}`,
    CONSOLE_BASE_URL: baseUrl,
    REDIS_URL: redisServer.url,
    // Nothing listens there: every component is down.
    GATEWAY_URL: "http://127.0.0.1:9",
    ...addressVariables("GRPC", serviceNames, () => samples.address),
  });
  served = await createConsole(config, { logger: createLogger("console", "silent") });
  redis = connectRedis(redisServer.url, () => {});
  await once(redis, "ready");
  const session = {
    subject: "root",
    name: "Root",
    roles: ["root"],
    operatorToken: "sample",
    idToken: "",
    csrf,
  } as const;
  const id = await createSessionStore(redis, 3_600_000).open({ ...session, endsAtMs: Date.now() + 3_600_000 });
  cookie = `console=${id}`;
});
afterAll(async () => {
  served.stopServing();
  await served.close();
  redis.disconnect();
  await Promise.all([samples.close(), redisServer.close()]);
});

/** What the pages of a sample need in their address. */
const query = `?client=${sampleClientId}&campaign=${sampleClientId}&operation=${sampleClientId}&key=key&channel=email&purpose=news&q=${sampleClientId}`;
/** Paths of what is found among the rows of a list, which have ids of their own. */
const listed = /^\/(migrations|credentials)\//;
const listedId = sampleClientId.replace(/.{2}$/, "10");
const addressOf = (path: string): string =>
  `${path.replace(":id", listed.test(path) ? listedId : sampleClientId)}${query}`;

/** Values of fields whose readers demand a form. */
const values: Readonly<Record<string, string>> = {
  budget_minor: "7000",
  confirm: "name-1",
  config: "{}",
  cpm_minor: "7",
  cron: "0 9 * * *",
  currency: "JPY",
  days: "7",
  destination_url: "https://example.com/sample",
  ends_at: `${sampleYear}-02-01T09:00`,
  from: "7",
  language: "en",
  limit: "7",
  max_height: "600",
  max_width: "800",
  name: "sample",
  quality: "80",
  reason: "because",
  seq: "7",
  starts_at: `${sampleYear}-01-31T09:00`,
  timezone: "Asia/Tokyo",
  to: "9",
  types: "order.* platform.*",
  url: "https://example.com/sample",
};

async function ask(path: string, form?: Readonly<Record<string, string>>): Promise<{ status: number; text: string }> {
  const body = form === undefined ? {} : { method: "POST", body: new URLSearchParams(form) };
  const response = await fetch(new URL(path, baseUrl), { redirect: "manual", headers: { cookie }, ...body });
  const { status, headers } = response;
  const type = headers.get("content-type") ?? "";
  const text = await response.text();
  const location = headers.get("location");
  return { status, text: location ?? (type.includes("html") ? text : `${type}\n${text}`) };
}

/** What a person would send: what each control of the page's form holds, and a value for those that hold none. */
function filledForm(html: string): Record<string, string> {
  const [, form = ""] = /<form class="act".*?>(.*?)<\/form>/s.exec(html) ?? [];
  const chosen = [...form.matchAll(/<select\b[^>]*\sname="([^"]*)"[^>]*>(.*?)<\/select>/gs)].map(
    ([, name, options]) => {
      const offered = [...(options ?? "").matchAll(/<option value="([^"]+)"/g)];
      return [name, offered.at(-1)?.[1] ?? ""];
    },
  );
  const typed = [...form.matchAll(/<(?:input|textarea)\b([^>]*)>/g)].map(([, attributes = ""]) => {
    const [, name = ""] = /\sname="([^"]*)"/.exec(attributes) ?? [];
    const [, value = ""] = /\svalue="([^"]*)"/.exec(attributes) ?? [];
    return [name, attributes.includes('type="hidden"') ? value : (values[name] ?? (value || "sample"))];
  });
  return Object.fromEntries([...chosen, ...typed]);
}

/** Replaces what differs between two runs: tokens, ids of requests, and times that are not a sample's. */
const settled = (text: string): string =>
  text
    .replaceAll(query, "?<query>")
    .replaceAll(csrf, "<csrf>")
    .replaceAll("\r", "<CR>")
    .replaceAll(/\b[0-9a-z]{8}\.[0-9a-f]{64}\.[0-9a-f]{64}\b/g, "<form token>")
    .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/g, (id) =>
      id.startsWith("0197a000") ? id : "<id>",
    )
    .replaceAll(/\b(20\d\d)-\d\d-\d\d([T ]\d\d:\d\d(:[\d.]+)?)?( UTC|Z)?/g, (time, year) =>
      year === `${sampleYear}` ? time : "<time>",
    )
    // Days of a plot.
    .replaceAll(/^(.+)(?:\n\1)+$/gm, "$1\n(and so on)");

const callsOf = (): string[] =>
  samples
    .takeCalls()
    // The clients whose names every page shows, the status page, and the assertions without a reason are kept for a while.
    .filter((call) => !/^(ProjectClientAdminService\/ListProjectClients|HealthHistory)/.test(call))
    .filter((call) => !call.startsWith("OperatorAccessService/") || call.includes('"reason"'))
    .map((call) => `> ${call}`)
    // Pages ask several services concurrently.
    .sort();

async function show(path: string, form?: Readonly<Record<string, string>>): Promise<{ part: string; text: string }> {
  const { status, text } = await ask(path, form);
  const verb = form === undefined ? "GET" : "POST";
  const lines = [
    `== ${verb} ${path.replace(query, "")} ${status}`,
    ...callsOf(),
    text.startsWith("<!doctype") ? readablePage(text) : text,
  ];
  return { part: lines.join("\n"), text };
}

/** States besides `active` whose pages differ. */
const otherStates = [
  {
    Subscription: "paused",
    Campaign: "paused",
    Delivery: "failed",
    ScheduledOperation: "disabled",
    OperatorMigration: "completed",
    OperatorDelivery: "failed",
    OperatorEndpoint: "revoked",
    PlatformAccount: "disabled",
    ShowErasureResponse: "failed",
  },
  { Subscription: "ended", Campaign: "ended", Delivery: "sent", SenderProfile: "disabled" },
] as const;

const nameOf = ({ lists = [], views = [], actions = [] }: Screen): string =>
  (lists[0] ?? views[0] ?? actions[0])?.path.slice(1).replaceAll("/:id", "").replaceAll("/", "-") || "overview";

test.each(screens.map((screen) => [nameOf(screen), screen] as const))(
  "shows what it showed before: %s",
  async (name, screen) => {
    const parts: string[] = [];
    for (const { path } of screen.lists ?? []) {
      parts.push((await show(addressOf(path))).part);
      for (const format of ["csv", "ndjson"]) parts.push((await show(`${addressOf(path)}&format=${format}`)).part);
    }
    // A live tail goes on after its page.
    for (const { path } of (screen.views ?? []).filter(({ path: each }) => each !== tailPath)) {
      for (const states of [{}, ...(path.includes(":id") ? otherStates : [])]) {
        samples.setStates(states);
        parts.push((await show(addressOf(path))).part);
      }
      samples.setStates({});
    }
    for (const { path } of screen.actions ?? []) {
      const { part, text } = await show(addressOf(path));
      const token = /name="form" value="([^"]+)"/.exec(text)?.[1];
      parts.push(part, (await show(addressOf(path), { csrf, ...(token && { form: token }) })).part);
      const filled = filledForm((await ask(addressOf(path))).text);
      samples.takeCalls();
      parts.push((await show(addressOf(path), filled)).part);
      // The notice that the next page shows.
      const next = readablePage((await ask("/clients")).text);
      samples.takeCalls();
      parts.push(`== then\n${next.split("\n").slice(1, 2).join("\n")}`);
    }
    await expect(settled(`${parts.join("\n\n")}\n`)).toMatchFileSnapshot(`fixtures/${name}.txt`);
  },
);
