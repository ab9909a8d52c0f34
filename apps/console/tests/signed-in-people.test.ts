import { eventually } from "@platform/test-kit/eventually";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { callbackPaths } from "../src/sign-in/identity-providers.ts";
import { owner, startTestConsole, type TestConsole, type Visitor } from "./console-fixture.ts";

let tested: TestConsole;
beforeAll(async () => {
  tested = await startTestConsole({}, true);
});
afterAll(() => tested.close());

/** Returns the addresses of links on a page that end with a verb. */
const linksTo = (text: string, verb: string): string[] =>
  [...text.matchAll(/href="([^"]*)"/g)]
    .map(([, path = ""]) => path.replaceAll("&amp;", "&"))
    .filter((path) => new URL(path, "http://console").pathname.endsWith(`/${verb}`));

/** Sends the form of an operation with the token of a page that the person sees. */
async function send(visitor: Visitor, path: string, page: string, fields: Readonly<Record<string, string>> = {}) {
  const [, csrf = ""] = /name="csrf" value="([0-9a-f]{64})"/.exec(page) ?? [];
  return visitor.ask(path, { method: "POST", body: new URLSearchParams({ csrf, ...fields }) });
}

async function act(visitor: Visitor, path: string, fields: Readonly<Record<string, string>> = {}): Promise<string> {
  const reply = await send(visitor, path, (await visitor.ask(path)).text, fields);
  expect([path, reply.status]).toEqual([path, 303]);
  return reply.headers.get("location") ?? "";
}

it("lets security end the sessions of an operator, who is then signed out of the console", async () => {
  const [viewer, security] = [await tested.signIn("viewer"), await tested.signIn("security")];
  expect((await viewer.ask("/sessions/operators")).status).toBe(403);
  const { text } = await security.ask("/sessions/operators");
  const row = text.split("<tr").find((each) => each.includes("<code>viewer</code>")) ?? "";
  expect(row).toMatch(/>127\.0\.0\.1</);
  const [endAll = ""] = linksTo(row, "end-all");
  expect(await act(security, endAll)).toBe("/sessions/operators");
  await eventually(async () => (await viewer.ask("/clients")).status === 303, { what: "the viewer is signed out" });
});

it("shows an owner only the sessions of their own project, and ends one of them", async () => {
  const [own, other] = [await tested.identity.createClient(), await tested.identity.createClient()];
  await tested.identity.addMember(own, owner.email, "owner");
  const [visitor, second] = [await tested.signIn("owner"), await tested.signIn("owner")];
  const { text } = await visitor.ask(`/projects/${own}/sessions/members?client=${other}`);
  const ends = linksTo(text, "end");
  expect(ends).toHaveLength(2);
  expect((await visitor.ask(`/projects/${other}/sessions/members`)).status).toBe(404);
  // The session of `second` is the newest and therefore listed first. The project in the address makes no difference.
  const [newest = ""] = ends;
  expect(await act(visitor, newest.replace(`client=${own}`, `client=${other}`))).toBe(
    `/projects/${own}/sessions/members?client=${own}`,
  );
  await eventually(async () => (await second.ask(`/projects/${own}/members`)).status === 303, {
    what: "the other session has ended",
  });
  expect((await visitor.ask(`/projects/${own}/members`)).status).toBe(200);
});

it("offers no choice of a project on the pages of a project", async () => {
  const own = await tested.identity.createClient();
  await tested.identity.addMember(own, owner.email, "owner");
  const visitor = await tested.signIn("owner");
  for (const path of ["/sessions/members", "/members", "/contacts", "/requests", "/contacts/new"]) {
    const { status, text } = await visitor.ask(`/projects/${own}${path}`);
    expect([path, status, text.includes('name="client"')]).toEqual([path, 200, false]);
  }
});

it("does not end a session of another project by its id at the address of the own project", async () => {
  const [own, other] = [await tested.identity.createClient(), await tested.identity.createClient()];
  await tested.identity.addMember(own, owner.email, "owner");
  const visitor = await tested.signIn("owner");
  const security = await tested.signIn("security");
  const listed = (await security.ask("/sessions/operators")).text;
  const [foreign = ""] = linksTo(listed, "end");
  const id = foreign.split("/")[3] ?? "";
  const page = (await visitor.ask(`/projects/${own}/members`)).text;
  for (const verb of ["end", "end-all"]) {
    const path = `/projects/${own}/sessions/members/${id}/${verb}?client=${other}`;
    const reply = await send(visitor, path, page);
    expect([verb, reply.status]).toEqual([verb, 404]);
  }
  expect((await security.ask("/sessions/operators")).status).toBe(200);
});

it("offers operators and members their own identity providers, and signs a member in and out there", async () => {
  const own = await tested.identity.createClient();
  await tested.identity.addMember(own, owner.email, "owner");
  const visitor = tested.newVisitor();
  const choice = await visitor.ask("/sign-in?to=/members");
  expect(choice.status).toBe(200);
  const offered = [...choice.text.matchAll(/href="(\/sign-in\?[^"]*)"/g)].map(([, path = ""]) => path);
  expect(offered.map((path) => path.replaceAll("&amp;", "&"))).toEqual([
    "/sign-in?as=operators&to=%2Fmembers",
    "/sign-in?as=members&to=%2Fmembers",
  ]);
  const reply = await visitor.ask(await tested.signInAtProvider(visitor, "owner", "/", "members"));
  expect([reply.status, reply.headers.get("location")]).toEqual([303, "/"]);
  const page = await visitor.ask(`/projects/${own}/members`);
  expect(page.status).toBe(200);
  expect(page.headers.get("content-security-policy")).toContain(tested.membersIssuer);
  const signedOut = await send(visitor, "/sign-out", page.text);
  expect(signedOut.headers.get("location")).toContain(tested.membersIssuer);
});

it("gives no role to a person from the members' provider, whatever the token claims (a forged role)", async () => {
  const visitor = tested.newVisitor();
  const reply = await visitor.ask(await tested.signInAtProvider(visitor, "root", "/", "members"));
  expect([reply.status, visitor.cookies.has("console")]).toEqual([403, false]);
});

it("rejects the response of one provider at the address of the other (mix-up)", async () => {
  for (const [as, other] of [
    ["members", "operators"],
    ["operators", "members"],
  ] as const) {
    const visitor = tested.newVisitor();
    const answer = await tested.signInAtProvider(visitor, "owner", "/", as);
    const reply = await visitor.ask(answer.replace(callbackPaths[as], callbackPaths[other]));
    expect([reply.status, reply.text.includes("This sign-in was not started in this browser")]).toEqual([403, true]);
  }
});

it("says on a person's page that no invitation was emailed, if 20 others had been invited before", async () => {
  const client = await tested.identity.createClient();
  const security = await tested.signIn("security");
  const pageOf = async (memberId: string): Promise<string> => (await security.ask(`/members/${memberId}`)).text;
  const invite = (n: number): Promise<string> =>
    tested.identity.addMember(client, `person-${n}@shop.example`, "reader");
  const invited = await Promise.all(Array.from({ length: 20 }, (_, n) => invite(n)));
  expect(await pageOf(invited[0] ?? "")).not.toContain("no email about it was sent");
  expect(await pageOf(await invite(20))).toContain("no email about it was sent");
});

describe("an action that waits for a second person", () => {
  it("shows the requester the page of a pending action, offers others to approve it, and shows the outcome", async () => {
    const client = await tested.identity.createClient("production");
    const [security, root, viewer] = [
      await tested.signIn("security"),
      await tested.signIn("root"),
      await tested.signIn("viewer"),
    ];
    const at = await act(security, `/clients/${client}/disable`, { reason: "a leaked credential", confirm: "test" });
    expect(at).toMatch(/^\/approvals\/[0-9a-f-]{36}$/);
    const waiting = (await security.ask(at)).text;
    expect(waiting).toContain("the act waits here until another person");
    expect(waiting).toContain("a leaked credential");
    expect(waiting).toContain("Another person must approve this");
    expect([linksTo(waiting, "approve"), linksTo(waiting, "reject")]).toEqual([[], [`${at}/reject`]]);
    const own = await send(security, `${at}/approve`, waiting);
    expect([own.status, own.text.includes("another person with the role security has to approve it")]).toEqual([
      403,
      true,
    ]);

    const listed = (await viewer.ask("/approvals")).text;
    expect(listed).toContain(`href="${at}"`);
    expect(linksTo((await viewer.ask(at)).text, "approve")).toEqual([]);
    expect((await send(viewer, `${at}/approve`, listed)).status).toBe(403);
    const offered = (await root.ask(at)).text;
    expect(offered).not.toContain("Another person must approve this");
    const [approve = ""] = linksTo(offered, "approve");
    expect((await root.ask(approve)).text).toContain("a leaked credential");
    expect(await act(root, approve)).toBe(at);
    const done = (await root.ask(at)).text;
    expect(done).toContain("The act was approved and has run.");
    expect(linksTo(done, "approve")).toEqual([]);
    expect((await root.ask(`/clients/${client}`)).text).toContain(">disabled<");
    expect((await send(root, `${at}/approve`, done)).status).toBe(422);
  });

  it("lets the requester withdraw a pending action, which no list shows afterwards", async () => {
    const client = await tested.identity.createClient("production");
    const security = await tested.signIn("security");
    const at = await act(security, `/clients/${client}/disable`, { reason: "by mistake", confirm: "test" });
    await act(security, `${at}/reject`);
    expect((await security.ask(at)).text).toContain("rejected");
    expect((await security.ask("/approvals")).text).not.toContain(at);
  });
});
