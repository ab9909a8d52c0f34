import { afterAll, beforeAll, expect, it } from "vitest";
import { boundOf } from "../src/http/inputs.ts";
import { screens } from "../src/http/screens.ts";
import { csrfOf, startTestConsole, type TestConsole, type Visitor } from "./console-fixture.ts";

let tested: TestConsole;
let root: Visitor;
beforeAll(async () => {
  tested = await startTestConsole();
  root = await tested.signIn("root");
});
afterAll(() => tested.close());

const text = (characters: number): string => "x".repeat(characters);
const most = (kind: "query" | "field", name: string): number => boundOf(kind, name) ?? 0;
const paths = (kind: "views" | "lists" | "actions"): string[] =>
  screens.flatMap((screen) => (screen[kind] ?? []).map(({ path }) => path.replace(":id", "x")));

it.each([...paths("views"), ...paths("lists"), ...paths("actions")])(
  "rejects GET %s whose query is one character too long, before it calls a service",
  async (path) => {
    for (const name of ["client", "cursor"]) {
      const reply = await root.ask(`${path}?${name}=${text(most("query", name) + 1)}`);
      expect([name, reply.status, reply.text.includes(`The query ${name} has more than`)]).toEqual([name, 422, true]);
    }
  },
);

it.each(paths("actions"))("rejects POST %s with a field that is one character too long", async (path) => {
  const fields = { csrf: await csrfOf(root), reason: "r", name: text(most("field", "name") + 1) };
  const reply = await root.ask(path, { method: "POST", body: new URLSearchParams(fields) });
  expect([reply.status, reply.text.includes("The field name has more than")]).toEqual([422, true]);
});

it.each(["/sign-in?to=", "/sign-in/callback?code=", "/sign-in/callback?state=", "/search?q="])(
  "limits the length of %s for visitors without a session, too, and accepts a value at the bound",
  async (start) => {
    const max = Math.min(most("query", /\?(\w+)=/.exec(start)?.[1] ?? ""), 7_000);
    const stranger = tested.newVisitor();
    expect((await stranger.ask(start + text(max))).text).not.toContain("has more than");
    // The HTTP server itself rejects a request line of this length.
    expect((await stranger.ask(start + text(max + (max === 7_000 ? 2_000 : 1)))).status).toBeGreaterThanOrEqual(422);
  },
);

it.each([
  ["/activity?client=1&status=failed", "/deliveries?client=1&status=failed"],
  ["/activity", "/deliveries"],
  ["/activity/retry?client=1", "/deliveries/retry?client=1"],
])("redirects the old address %s to %s", async (from, to) => {
  const { status, headers } = await root.ask(from);
  expect([status, headers.get("location")]).toEqual([308, to]);
});

it("rejects a path segment and a header beyond their bounds", async () => {
  expect((await root.ask(`/clients/${text(201)}`)).status).toBe(422);
  expect((await root.ask("/events/tail", { headers: { "last-event-id": "1".repeat(16) } })).status).toBe(422);
});
