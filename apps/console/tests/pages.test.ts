import { sampleYear } from "@platform/test-kit/sample-message";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Screen } from "../src/http/screen.ts";
import { tailPath } from "../src/http/screens/event-tail.ts";
import { screens } from "../src/http/screens.ts";
import { readablePage } from "./readable-page.ts";
import { addressOf, csrf, query, startSampleConsole } from "./sample-console.ts";

/*
 * Renders every page of the console as root sees it, and compares it and its calls with files, so that a change shows
 * as a diff. The services respond with sample replies. Each form is also sent, both empty and filled in. `npx vitest
 * run --project service apps/console/tests/pages.test.ts -u` rewrites the files.
 */

let served: Awaited<ReturnType<typeof startSampleConsole>>;
beforeAll(async () => {
  served = await startSampleConsole();
});
afterAll(() => served.close());

/** Values of fields that must have a certain form, because code parses them. */
const values: Readonly<Record<string, string>> = {
  at: `${sampleYear}-02-01T09:00`,
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
  headers: "{}",
  language: "en",
  limit: "7",
  max_height: "600",
  max_width: "800",
  name: "sample",
  per_second: "7",
  quality: "80",
  reason: "because",
  seq: "7",
  starts_at: `${sampleYear}-01-31T09:00`,
  timezone: "Asia/Tokyo",
  to: "9",
  types: "order.* platform.*",
  url: "https://example.com/sample",
};

/**
 * Returns the form data that a person would send: the current value of each control of the page's form, and a value for
 * the empty ones.
 */
function filledForm(html: string): Record<string, string> {
  const [, form = ""] = /<form class="act[^>]*>(.*?)<\/form>/s.exec(html) ?? [];
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

/** Replaces parts that differ between two runs: tokens, request ids, and times that do not come from a sample. */
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
    // The days of a plot have become equal lines, which are folded here.
    .replaceAll(/^(.+)(?:\n\1)+$/gm, "$1\n(and so on)");

const callsOf = (): string[] =>
  served.samples
    .takeCalls()
    // These calls are omitted, because client names, the status page, and assertions without a reason are cached for
    // some time.
    .filter((call) => !/^(ProjectClientAdminService\/ListProjectClients|HealthHistory)/.test(call))
    .filter((call) => !call.startsWith("OperatorAccessService/") || call.includes('"reason"'))
    .map((call) => `> ${call}`)
    // Pages query several services concurrently, so the calls are sorted.
    .sort();

async function show(path: string, form?: Readonly<Record<string, string>>): Promise<{ part: string; text: string }> {
  const { status, text } = await served.ask(path, form);
  const verb = form === undefined ? "GET" : "POST";
  // A page that fails is a defect, and -u must not record it as the expected page.
  if (status === 500) throw new Error(`${verb} ${path} returned 500: ${readablePage(text)}`);
  const lines = [
    `== ${verb} ${path.replace(query, "")} ${status}`,
    ...callsOf(),
    text.startsWith("<!doctype") ? readablePage(text) : text,
  ];
  return { part: lines.join("\n"), text };
}

/** States other than `active` for which pages look different. */
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
  "renders the page as in its file: %s",
  async (name, screen) => {
    const parts: string[] = [];
    for (const { path, clientIdOf } of screen.lists ?? []) {
      parts.push((await show(addressOf(path))).part);
      if (clientIdOf !== undefined) parts.push((await show(path)).part);
      for (const format of ["csv", "ndjson"]) parts.push((await show(`${addressOf(path)}&format=${format}`)).part);
    }
    // The live tail is excluded, because its response does not end.
    for (const { path } of (screen.views ?? []).filter(({ path: each }) => each !== tailPath)) {
      for (const states of [{}, ...(path.includes(":id") ? otherStates : [])]) {
        served.samples.setStates(states);
        parts.push((await show(addressOf(path))).part);
      }
      served.samples.setStates({});
    }
    for (const { path } of screen.actions ?? []) {
      const { part, text } = await show(addressOf(path));
      const token = /name="form" value="([^"]+)"/.exec(text)?.[1];
      parts.push(part, (await show(addressOf(path), { csrf, ...(token && { form: token }) })).part);
      const filled = filledForm((await served.ask(addressOf(path))).text);
      served.samples.takeCalls();
      parts.push((await show(addressOf(path), filled)).part);
      // The next page shows the notice.
      const next = readablePage((await served.ask("/clients")).text);
      served.samples.takeCalls();
      parts.push(`== then\n${next.split("\n").slice(1, 2).join("\n")}`);
    }
    await expect(settled(`${parts.join("\n\n")}\n`)).toMatchFileSnapshot(`fixtures/${name}.txt`);
  },
);

test("runs no script of a captured email, loads nothing, and exposes nothing of the console (stored cross-site scripting)", async () => {
  const { status, text, policy } = await served.ask(addressOf("/captured/:id/html"));
  expect([status, text]).toEqual([200, "html-1"]);
  expect(policy).toBe("sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:");
});
