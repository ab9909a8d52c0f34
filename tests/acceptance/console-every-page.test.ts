import { passwordIn, signInWith } from "@platform/stack/console-visitor";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { loadAxe } from "./axe.ts";
import { launchBrowser } from "./browser.ts";
import { createPageCheck } from "./check-page.ts";
import { storeApproval } from "./console-approval.ts";
import { crawl, type FoundPage, formsOf, linksOf, shapeOf, tableLists, tableShapes } from "./console-crawl.ts";
import {
  csrfOf,
  newVisitor,
  openWindow,
  type Reply,
  type Role,
  roles,
  screens,
  signIn,
  type Visitor,
} from "./console-person.ts";
import { completeProject, escapedMarkupOf, type MarkedProject, makeMarkedProject, pagesOf } from "./console-project.ts";
import { acceptanceStack } from "./stack.ts";

const { consoleUrl, directory, env: demo } = acceptanceStack;

/** Every page of the console that root can reach by links. */
let pages: FoundPage[];
let project: MarkedProject;
const visitors = new Map<Role, Visitor>();
beforeAll(async () => {
  project = await makeMarkedProject();
  await completeProject(project);
  await storeApproval(project.clientId);
  for (const role of roles) visitors.set(role, await signIn(role));
  // The list of member sessions is not empty only for a project whose members have signed in.
  await signInWith(newVisitor(), "owner", passwordIn(directory, "owner"));
  const sessions = `/sessions/members?client=${demo.PROJECT_CLIENT_ID}`;
  pages = await crawl(visitorOf("root"), [sessions, ...pagesOf(project), ...tableLists(project.clientId)]);
});

function visitorOf(role: Role): Visitor {
  const visitor = visitors.get(role);
  if (visitor === undefined) throw new Error(`${role} is not signed in`);
  return visitor;
}

/** The response that each role received for each path. These tests change no page, so each page is requested once per role. */
const answered = new Map<string, Promise<Reply>>();
function pageAs(role: Role, path: string): Promise<Reply> {
  const key = `${role} ${path}`;
  const answer = answered.get(key) ?? visitorOf(role).get(path);
  answered.set(key, answer);
  return answer;
}

const others = roles.filter((role) => role !== "root");
const forms = () => pages.flatMap(formsOf).filter(({ action }) => action !== "/sign-out");

it("reaches every screen and every action", () => {
  const shapes = new Set(pages.map(({ path }) => shapeOf(path)));
  const expected = [
    ...screens.map(([path]) => path),
    ...tableShapes,
    ...["operators", "members"].map((people) => `/sessions/${people}/:id/end-all`),
    ...["update", "quota", "retention", "disable", "erase", "credentials/issue"].map((verb) => `/clients/:id/${verb}`),
    ...["/credentials/:id/rotate", "/credentials/:id/revoke", "/clients/new"],
    ...["/deliveries/:id/retry", "/deliveries/:id/reveal", "/deliveries/retry"],
    ...["new", "find", ":id/reveal", ":id/revoke", ":id/restore-consent"].map((verb) => `/endpoints/${verb}`),
    ...["new", ":id/update", ":id/rotate-secret", ":id/test", ":id/disable"].map((verb) => `/profiles/${verb}`),
    ...["/templates/preview", "/templates/apply"],
    ...["issue", ":id/rotate", ":id/revoke"].map((verb) => `/events/consumers/${verb}`),
    ...[
      "/events/subscriptions/new",
      "/subscriptions/:id/pause",
      "/subscriptions/:id/replay",
      "/subscriptions/:id/delete",
    ],
    ...["set-cron", "set-overlap", "rotate-secret", "invoke", "disable"].map((verb) => `/schedules/:id/${verb}`),
    ...["/runs/:id/redrive", "/schedules/redrive"],
    ...["/audits/verify", "/audits/mark-exported", "/audits/prune"],
    ...["/files/:id/delete", "/files/assets/:id/take-down", "/files/presets/new"],
    ...["/migrations/find", "/migrations/:id/annul", "/brands", "/brands/new"],
    ...["reveal", "send-recovery", "revoke-sessions", "disable", "erase"].map((verb) => `/accounts/:id/${verb}`),
    ...["/sessions/:id/revoke", "/erasures/person", "/erasures/:id/retry"],
    ...["new", ":id/pause", ":id/raise-budget", ":id/end"].map((verb) => `/campaigns/${verb}`),
    ...["issue", ":id/rotate", ":id/revoke"].map((verb) => `/campaigns/ad-servers/${verb}`),
    "/campaigns/keys/new",
  ];
  expect(expected.filter((shape) => !shapes.has(shape))).toEqual([]);
});

describe.each(others)("as %s", (role) => {
  it("shows a link exactly to the pages that the role may open", async () => {
    const answers = new Map<string, number>();
    const statusOf = async (path: string): Promise<number> => {
      const known = answers.get(shapeOf(path)) ?? (await pageAs(role, path)).status;
      answers.set(shapeOf(path), known);
      return known;
    };
    const problems: string[] = [];
    for (const { path, links } of pages) {
      const { html, status } = await pageAs(role, path);
      answers.set(shapeOf(path), status);
      if (status === 403) continue;
      if (status !== 200) {
        problems.push(`${shapeOf(path)} answered ${status}`);
        continue;
      }
      const shown = new Set(linksOf(html).map(shapeOf));
      for (const link of links) {
        const isOpen = (await statusOf(link)) !== 403;
        if (shown.has(shapeOf(link)) !== isOpen && shapeOf(link).split("/").length > 2)
          problems.push(`${shapeOf(path)}: ${shapeOf(link)} is ${isOpen ? "hidden and opens" : "shown and refused"}`);
      }
    }
    expect([...new Set(problems)]).toEqual([]);
  });

  it("rejects a hidden form that is posted by hand", async () => {
    const visitor = visitorOf(role);
    const csrf = await csrfOf(visitor);
    const problems: string[] = [];
    let hidden = 0;
    for (const { path, action, fields } of forms()) {
      if ((await pageAs(role, path)).status !== 403) continue;
      hidden += 1;
      const reply = await visitor.post(action, { ...fields, csrf, reason: "because" });
      if (reply.status !== 403 || !/needs one of the roles [a-z, ]+\./.test(reply.html))
        problems.push(`${action}: ${reply.status}`);
    }
    expect(problems).toEqual([]);
    expect(hidden).toBeGreaterThan(5);
  });

  it("downloads the lists that the role sees, and no others", async () => {
    const visitor = visitorOf(role);
    const problems: string[] = [];
    const lists = pages.filter(({ html }) => html.includes("format=csv"));
    for (const { path } of lists) {
      const { status } = await pageAs(role, path);
      for (const [format, type] of [
        ["csv", "text/csv"],
        ["ndjson", "application/x-ndjson"],
      ] as const) {
        const reply = await visitor.get(`${path}${path.includes("?") ? "&" : "?"}format=${format}`);
        const isRight =
          reply.status === status && (status === 403 || reply.headers.get("content-type")?.startsWith(type));
        if (!isRight) problems.push(`${path} as ${format}: ${reply.status} ${reply.headers.get("content-type")}`);
      }
    }
    expect(problems).toEqual([]);
    expect(lists.length).toBeGreaterThan(8);
  });
});

it("refuses every form without its own session's token, and from other sites (CSRF)", async () => {
  const root = visitorOf("root");
  const own = await csrfOf(root);
  const foreign = await csrfOf(visitorOf("security"));
  const attacks: readonly [string, Readonly<Record<string, string>>, Readonly<Record<string, string>>][] = [
    ["without a token", { csrf: "" }, {}],
    ["with another session's token", { csrf: foreign }, {}],
    ["from another site", { csrf: own }, { "sec-fetch-site": "cross-site" }],
    ["with another site's Origin", { csrf: own }, { origin: "https://evil.example" }],
  ];
  const found = new Map(pages.flatMap(formsOf).map((form) => [shapeOf(form.action), form]));
  const problems: string[] = [];
  for (const { action, fields } of found.values()) {
    for (const [attack, form, headers] of attacks) {
      const { status, html } = await root.post(action, { ...fields, reason: "because", ...form }, headers);
      if (status !== 403 || !html.includes("This form has expired")) problems.push(`${action} ${attack}: ${status}`);
    }
  }
  expect(problems).toEqual([]);
  expect(found.size).toBeGreaterThan(50);
});

it("shows every text that a caller can set as text (stored markup)", async () => {
  const problems = pages.filter(({ html }) => /<img src=x|<\/textarea><\/script>/.test(html)).map(({ path }) => path);
  expect(problems).toEqual([]);
  const all = pages.map(({ html }) => html).join("");
  expect([...project.marks, "brand"].filter((mark) => !all.includes(escapedMarkupOf(mark)))).toEqual([]);
});

it("serves every page without inline script or style, and forbids framing and caching", async () => {
  const problems: string[] = [];
  for (const { path, html } of pages) {
    // Values are excluded from the check, because callers choose them.
    const tags = html.replaceAll(/"[^"]*"/g, '""');
    if (/<script(?![^>]* src=)|<style|<[a-z][^<>]*\s(style|on[a-z]+)=/i.test(tags)) problems.push(`${path}: inline`);
  }
  for (const { path, headers } of pages) {
    if (headers.get("cache-control") !== "no-store") problems.push(`${path}: may be cached`);
    if (headers.get("x-frame-options") !== "DENY") problems.push(`${path}: may be framed`);
  }
  expect(problems).toEqual([]);
});

describe("accessibility", () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchBrowser();
  });
  afterAll(() => browser.close());

  /** Main parts and navigations that were already checked. Pages of two roles are often equal. */
  const seen = new Set<string>();
  const changing =
    / aria-current="page"|\?client=[^"]*|value="[0-9a-f]{64}"|[0-9a-f]{8}-[0-9a-f-]{27}|\d{4}-\d\d-\d\d[T ][\d:.]+( UTC|Z)?/g;
  const isNew = (html: string, part: RegExp): boolean => {
    const text = (part.exec(html)?.[0] ?? "").replaceAll(changing, "");
    if (seen.has(text)) return false;
    seen.add(text);
    return true;
  };

  const check = createPageCheck();

  it.each(["root", ...others] as const)(
    "passes axe on every page as %s, light and dark, on a phone and a desktop",
    async (role) => {
      // Transitions are switched off, so that axe checks no colour while it changes.
      const context = await browser.newContext({ reducedMotion: "reduce" });
      await loadAxe(context);
      const first = await openWindow(context, role);
      const problems: string[] = [];
      const paths = [...pages.map((each) => each.path), "/status", "/no-such-page", "/search?q=nothing-has-this"];
      const checkNext = async (page: Page): Promise<void> => {
        for (let path = paths.shift(); path !== undefined; path = paths.shift()) {
          const { html, status } = await pageAs(role, path);
          // Pages that refuse access differ only in the names of the roles.
          const isOther = isNew(status === 403 ? `<main>refused as ${role}</main>` : html, /<main.*<\/main>/s);
          const isOtherNavigation = isNew(html, /<nav.*?<\/nav>/s);
          if (!isOtherNavigation && !isOther) continue;
          await page.goto(`${consoleUrl}${path}`);
          await page.evaluate("document.querySelectorAll('details').forEach((each) => each.setAttribute('open', ''))");
          problems.push(...(await check(page, path, isOtherNavigation ? undefined : "nav")));
        }
      };
      // Uses two windows, because the browser gives each page its own process.
      await Promise.all([first, await context.newPage()].map(checkNext));
      expect(problems).toEqual([]);
      await context.close();
    },
    // There are more than a hundred pages.
    900_000,
  );
});

describe("the live tail", () => {
  it.each(roles)("sends new events to %s", async (role) => {
    const cookie = [...visitorOf(role).cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const closing = new AbortController();
    const response = await fetch(`${consoleUrl}/events/tail?client=${project.clientId}&after=0`, {
      headers: { cookie },
      signal: closing.signal,
    });
    expect([response.status, response.headers.get("content-type")]).toEqual([
      200,
      expect.stringContaining("text/event-stream"),
    ]);
    let text = "";
    for await (const chunk of response.body ?? []) {
      text += new TextDecoder().decode(chunk);
      if (text.includes("order.placed")) break;
    }
    closing.abort();
    expect(text).toContain("order.placed");
  });

  it("sends nothing without a session", async () => {
    const reply = await fetch(`${consoleUrl}/events/tail?client=${project.clientId}&after=0`, { redirect: "manual" });
    expect(reply.status).toBe(303);
  });
});
