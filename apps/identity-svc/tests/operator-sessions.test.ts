import { timestampDate } from "@bufbuild/protobuf/wkt";
import type { GrpcConnection } from "@platform/kit/rpc/client";
import { ProjectClientAdminService } from "@platform/proto/identity/v1/identity_admin";
import { MemberAdminService } from "@platform/proto/identity/v1/member_admin";
import { OperatorAccessService } from "@platform/proto/identity/v1/operator_access";
import { SessionAdminService } from "@platform/proto/identity/v1/session_admin";
import type { JWTPayload } from "jose";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startSigningProvider } from "./identity-provider.ts";
import { callAs, makeClient, operatorToken, startIdentity, type TestIdentity } from "./start-identity.ts";

let provider: Awaited<ReturnType<typeof startSigningProvider>>;
let identity: TestIdentity;
let root: GrpcConnection;
let anonymous: GrpcConnection;

beforeAll(async () => {
  provider = await startSigningProvider();
  identity = await startIdentity({ OPERATOR_OIDC_ISSUER: provider.issuer });
  anonymous = identity.connect();
  root = identity.connect({ authorization: `Bearer ${operatorToken}`, "x-operator-reason": "test" });
});
afterAll(async () => {
  await identity.close();
  provider.close();
});

const access = () => anonymous.service(OperatorAccessService);
const sessions = () => root.service(SessionAdminService);
const codeOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => "ok",
    (error: { code: string }) => error.code,
  );

/** Signs a person in. Resolves to their clients, and to a function that returns the result of one call. */
async function signedIn(claims: JWTPayload) {
  const idToken = await provider.idToken(identity.clock.now(), { name: String(claims.sub), ...claims });
  const { session, sessionToken } = await access().createOperatorSession({ idToken }, callAs(null));
  const { assertion } = await access().createOperatorAssertion({ sessionToken, reason: "why" }, callAs(null));
  const connection = identity.connect({ authorization: `Bearer ${assertion}` });
  const clients = connection.service(ProjectClientAdminService);
  return {
    session,
    connection,
    list: () => codeOf(clients.listProjectClients({ pageSize: 1 }, callAs(null))),
    show: (projectClientId: string) => codeOf(clients.showProjectClient({ projectClientId }, callAs(null))),
  };
}

const member = async (projectClientId: string, name: string, role: string): Promise<JWTPayload> => {
  const email = `${name}@shop.example`;
  await root.service(MemberAdminService).addMember({ projectClientId, email, role }, callAs(null));
  return { sub: name, email, email_verified: true };
};

describe("a person with the role security", () => {
  it("lists the sessions of operators with the network they came from, and ends one", async () => {
    const ann = await signedIn({ sub: "ann", roles: ["viewer"] });
    const listed = (await sessions().listOperatorSessions({}, callAs(null))).sessions;
    const found = listed.find(({ subject }) => subject === "ann");
    expect(found).toMatchObject({ roles: ["viewer"], network: "127.0.0.1" });
    expect(await ann.list()).toBe("ok");
    expect(await sessions().endSessions({ sessionId: found?.id ?? "" }, callAs(null))).toMatchObject({ ended: 1 });
    expect(await ann.list()).toBe("unauthenticated");
    expect(await sessions().endSessions({ sessionId: found?.id ?? "" }, callAs(null))).toMatchObject({ ended: 0 });
  });

  it("ends every session of a person", async () => {
    const [one, two] = [
      await signedIn({ sub: "bob", roles: ["viewer"] }),
      await signedIn({ sub: "bob", roles: ["viewer"] }),
    ];
    expect(await sessions().endSessions({ subject: "bob" }, callAs(null))).toMatchObject({ ended: 2 });
    expect([await one.list(), await two.list()]).toEqual(["unauthenticated", "unauthenticated"]);
  });

  it("refuses to end sessions without naming an existing session or person", async () => {
    for (const request of [{}, { sessionId: "x", subject: "y" }])
      expect(await codeOf(sessions().endSessions(request, callAs(null)))).toBe("contract_violation");
    expect(await codeOf(sessions().endSessions({ sessionId: "none" }, callAs(null)))).toBe(
      "operator_session_not_found",
    );
  });
});

describe("the owner of a project", () => {
  it("lists and ends only the sessions of the project's members", async () => {
    const [own, other] = [await makeClient(identity), await makeClient(identity)];
    const owner = await signedIn(await member(own, "cem", "owner"));
    const colleague = await signedIn(await member(own, "dan", "reader"));
    const stranger = await signedIn(await member(other, "eve", "owner"));
    const admin = owner.connection.service(SessionAdminService);
    const { sessions: listed } = await admin.listMemberSessions({ projectClientId: own }, callAs(null));
    expect(listed.map(({ subject, roles }) => [subject, roles])).toEqual([
      ["dan", ["reader"]],
      ["cem", ["owner"]],
    ]);
    expect(await codeOf(admin.listOperatorSessions({}, callAs(null)))).toBe("permission_denied");
    const end = (request: { sessionId?: string; subject?: string }) =>
      codeOf(admin.endMemberSessions({ projectClientId: own, ...request }, callAs(null)));
    expect(await end({ subject: "eve" })).toBe("operator_session_not_found");
    expect(await stranger.show(other)).toBe("ok");
    expect(await end({ sessionId: listed[0]?.id ?? "" })).toBe("ok");
    expect(await colleague.show(own)).toBe("unauthenticated");
  });

  it("does not end a session of another project's member or of an operator by its id (broken object level authorization)", async () => {
    const [own, other] = [await makeClient(identity), await makeClient(identity)];
    const owner = await signedIn(await member(own, "rae", "owner"));
    const stranger = await signedIn(await member(other, "sol", "owner"));
    // This operator is also a member of the owner's project.
    const operator = await signedIn({ ...(await member(own, "tia", "reader")), roles: ["viewer"] });
    const [foreign] = (await sessions().listMemberSessions({ projectClientId: other }, callAs(null))).sessions;
    const operators = (await sessions().listOperatorSessions({}, callAs(null))).sessions;
    const admin = owner.connection.service(SessionAdminService);
    for (const session of [foreign, operators.find(({ subject }) => subject === "tia")]) {
      const request = { projectClientId: own, sessionId: session?.id ?? "" };
      expect(await codeOf(admin.endMemberSessions(request, callAs(null)))).toBe("operator_session_not_found");
    }
    expect([await stranger.show(other), await operator.list()]).toEqual(["ok", "ok"]);
  });

  it("does not let a project's owner sign an operator out by inviting them", async () => {
    const own = await makeClient(identity);
    const owner = await signedIn(await member(own, "fay", "owner"));
    const operator = await signedIn({ ...(await member(own, "gus", "reader")), roles: ["security"] });
    const admin = owner.connection.service(SessionAdminService);
    const { sessions: listed } = await admin.listMemberSessions({ projectClientId: own }, callAs(null));
    expect(listed.map(({ subject }) => subject)).toEqual(["fay"]);
    await admin.endMemberSessions({ projectClientId: own, subject: "gus" }, callAs(null));
    expect(await operator.list()).toBe("ok");
  });
});

it("requires a sign-in of the last 15 minutes, by the provider's auth_time, before a credential is issued", async () => {
  const projectClientId = await makeClient(identity);
  const claims = await member(projectClientId, "hal", "owner");
  const seconds = Math.floor(identity.clock.now().getTime() / 1000);
  const issueAs = async (authTime: number) => {
    const { connection, session } = await signedIn({ ...claims, auth_time: authTime });
    expect(session?.signedInAt && timestampDate(session.signedInAt).getTime()).toBe(authTime * 1000);
    const clients = connection.service(ProjectClientAdminService);
    return codeOf(clients.issueProjectCredential({ projectClientId, scopes: ["events:write"] }, callAs(null)));
  };
  expect(await issueAs(seconds - 60)).toBe("ok");
  expect(await issueAs(seconds - 3_600)).toBe("recent_sign_in_required");
});

describe("a back-channel logout of the identity provider", () => {
  const events = { "http://schemas.openid.net/event/backchannel-logout": {} };
  const logout = async (claims: JWTPayload) =>
    access().endSessionsByLogoutToken(
      { logoutToken: await provider.idToken(identity.clock.now(), claims) },
      callAs(null),
    );

  it("ends the session that the logout token names, or all sessions of its person", async () => {
    const [one, two] = [
      await signedIn({ sub: "ida", roles: ["viewer"], sid: "laptop" }),
      await signedIn({ sub: "ida", roles: ["viewer"], sid: "phone" }),
    ];
    expect(await logout({ events, sub: "ida", sid: "laptop" })).toMatchObject({ ended: 1 });
    expect([await one.list(), await two.list()]).toEqual(["unauthenticated", "ok"]);
    expect(await logout({ events, sub: "ida" })).toMatchObject({ ended: 1 });
    expect(await two.list()).toBe("unauthenticated");
  });

  it.each<[string, JWTPayload]>([
    ["an ID token, which has no such event", { sub: "jan" }],
    ["a token with a nonce", { events, sub: "jan", nonce: "n" }],
    ["a token of another event", { events: { "urn:other": {} }, sub: "jan" }],
    ["a token that names nobody", { events }],
    ["a token for another application", { events, sub: "jan", aud: "shop" }],
  ])("refuses %s as a logout token", async (_what, claims) => {
    const jan = await signedIn({ sub: "jan", roles: ["viewer"] });
    expect(await codeOf(logout(claims))).toBe("unauthenticated");
    expect(await jan.list()).toBe("ok");
  });
});
