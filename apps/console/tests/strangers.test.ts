import { eventually } from "@platform/test-kit/eventually";
import { afterAll, beforeAll, expect, it } from "vitest";
import { strangersRequestsMax } from "../src/http/network-limit.ts";
import { pathToGoOnMax } from "../src/http/sign-in-routes.ts";
import { csrfOf, owner, startTestConsole, type TestConsole } from "./console-fixture.ts";

let tested: TestConsole;
beforeAll(async () => {
  tested = await startTestConsole({ TRUSTED_PROXIES: "127.0.0.1" });
});
afterAll(() => tested.close());

const keys = async (): Promise<string[]> => (await tested.redis.keys("*")).filter((key) => key.startsWith("console:"));
/** Returns the headers of a browser in a separate network, as a trusted proxy forwards them. */
const from = (address: string) => ({ headers: { "x-forwarded-for": address } });

it("writes nothing to Redis when visitors without a session start sign-ins (a flood fills the platform's Redis)", async () => {
  const before = await keys();
  for (let sent = 0; sent < 50; sent += 1) {
    const reply = await tested.newVisitor().ask(`/sign-in?to=/${"a".repeat(6_000)}`, from("203.0.113.1"));
    expect(reply.status).toBe(303);
  }
  expect(await keys()).toEqual(before);
});

it("stores a pending sign-in in a cookie that expires after ten minutes and that scripts cannot read", async () => {
  const visitor = tested.newVisitor();
  const reply = await visitor.ask(`/sign-in?to=/${"a".repeat(pathToGoOnMax - 1)}`);
  expect(reply.headers.getSetCookie()).toEqual([
    expect.stringMatching(
      /^console_sign_in=[0-9a-f]{8}\.[A-Za-z0-9+/=]+; Max-Age=600; Path=\/; Expires=[^;]+; HttpOnly; SameSite=Lax$/,
    ),
  ]);
  expect(visitor.cookies.get("console_sign_in")?.length).toBeLessThanOrEqual(2_048);
});

it("signs in once for one response of the provider, even if both cookie and response are replayed", async () => {
  const visitor = tested.newVisitor();
  const answer = await tested.signInAtProvider(visitor, "viewer", "/clients");
  const cookie = visitor.cookies.get("console_sign_in") ?? "";
  const first = await visitor.ask(answer);
  expect([first.status, first.headers.get("location")]).toEqual([303, "/clients"]);
  const thief = tested.newVisitor();
  thief.cookies.set("console_sign_in", cookie);
  expect((await thief.ask(answer)).status).toBe(403);
  expect(thief.cookies.has("console")).toBe(false);
});

it("rejects a response of the provider without the cookie of the browser that started the sign-in (login CSRF)", async () => {
  const attacker = tested.newVisitor();
  const answer = await tested.signInAtProvider(attacker, "viewer");
  const victim = tested.newVisitor();
  await victim.ask("/sign-in");
  expect((await victim.ask(answer)).status).toBe(403);
});

it("redirects to the overview if the return path is one character too long", async () => {
  const to = (characters: number): string => `/clients?x=${"a".repeat(characters - "/clients?x=".length)}`;
  for (const [characters, location] of [
    [pathToGoOnMax, to(pathToGoOnMax)],
    [pathToGoOnMax + 1, "/"],
  ] as const) {
    const visitor = tested.newVisitor();
    const answer = await tested.signInAtProvider(visitor, "viewer", to(characters));
    expect((await visitor.ask(answer)).headers.get("location")).toBe(location);
  }
});

it("limits only the network that has used up its requests without a session, behind a proxy that adds ports", async () => {
  const flooding = from("198.51.100.7:4711");
  const paths = ["/sign-in", "/status", "/clients", "/signed-out", "/nothing"];
  for (let sent = 0; sent < strangersRequestsMax; sent += 1) {
    const reply = await tested.newVisitor().ask(paths[sent % paths.length] ?? "", flooding);
    expect(reply.status).not.toBe(429);
  }
  for (const path of paths) {
    const reply = await tested.newVisitor().ask(path, flooding);
    expect([path, reply.status]).toEqual([path, 429]);
    expect(Number(reply.headers.get("retry-after"))).toBeGreaterThan(0);
  }
  expect((await tested.newVisitor().ask("/sign-in", from("198.51.100.8:4711"))).status).toBe(303);
  const colleague = await tested.signIn("viewer");
  expect((await colleague.ask("/clients", flooding)).status).toBe(200);
});

it("writes nothing when a signed-in person opens forms, and accepts each form once", async () => {
  const operator = await tested.signIn("operator");
  const csrf = await csrfOf(operator);
  const before = (await keys()).length;
  let form = "";
  for (let opened = 0; opened < 20; opened += 1)
    form = /name="form" value="([^"]+)"/.exec((await operator.ask("/clients/new")).text)?.[1] ?? "";
  expect((await keys()).length).toBe(before);
  const fields = { csrf, form, name: "once", environment: "development" };
  const send = () => operator.ask("/clients/new", { method: "POST", body: new URLSearchParams(fields) });
  expect((await send()).status).toBe(303);
  expect((await send()).status).toBe(409);
});

it("shows a member only their own project, on its own pages, and nothing once they are removed", async () => {
  const [own, other] = [await tested.identity.createClient(), await tested.identity.createClient()];
  const memberId = await tested.identity.addMember(own, owner.email, "owner");
  const visitor = await tested.signIn("owner");
  const landing = await visitor.ask("/");
  expect([landing.status, landing.headers.get("location")]).toEqual([303, `/projects/${own}`]);
  const people = await visitor.ask(`/projects/${own}/members?client=${other}`);
  expect(people.status).toBe(200);
  expect(people.text).toContain(`href="/projects/${own}/members/${memberId}"`);
  // Every link and form stays within the project, and none is offered that only operators may use.
  const paths = [...people.text.matchAll(/(?:href|action)="(\/[^"]*)"/g)].map(([, path = ""]) => path);
  expect(paths.filter((path) => !/^\/(projects|assets|status|sign-out)\b/.test(path))).toEqual([]);
  expect(people.text).not.toContain('role="search"');
  expect((await visitor.ask(`/projects/${own}/clients/${own}/quota`)).status).toBe(403);
  for (const path of [`/projects/${other}`, `/projects/${other}/members`, `/projects/${own}/clients/${other}`])
    expect((await visitor.ask(path)).status, path).toBe(404);
  for (const path of ["/clients", `/clients/${own}`, "/accounts/find", "/operators"])
    expect((await visitor.ask(path)).headers.get("location"), path).toBe(`/projects/${own}`);

  await tested.identity.addMember(other, owner.email, "reader");
  const both = await tested.signIn("owner");
  expect((await both.ask("/")).headers.get("location")).toBe("/projects");
  expect((await both.ask("/projects")).text).toContain(`href="/projects/${other}"`);

  await tested.identity.removeMember(memberId);
  await eventually(async () => (await both.ask(`/projects/${own}/members`)).status === 404, { what: "no project" });
});
