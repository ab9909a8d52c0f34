import type { GrpcConnection } from "@platform/kit/rpc/client";
import { ErasureAdminService } from "@platform/proto/identity/v1/erasure_admin";
import { ProjectClientAdminService } from "@platform/proto/identity/v1/identity_admin";
import { MemberAdminService } from "@platform/proto/identity/v1/member_admin";
import { OperatorAccessService } from "@platform/proto/identity/v1/operator_access";
import { eventually } from "@platform/test-kit/eventually";
import type { JWTPayload } from "jose";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { startSigningProvider } from "./identity-provider.ts";
import { callAs, makeClient, operatorToken, startIdentity, type TestIdentity } from "./start-identity.ts";

type Provider = Awaited<ReturnType<typeof startSigningProvider>>;
let operators: Provider;
let membersOnly: Provider;
let identity: TestIdentity;
let anonymous: GrpcConnection;
let root: GrpcConnection;

beforeAll(async () => {
  [operators, membersOnly] = await Promise.all([startSigningProvider(), startSigningProvider()]);
  identity = await startIdentity({
    OPERATOR_OIDC_ISSUER: operators.issuer,
    MEMBERS_OIDC_ISSUER: membersOnly.issuer,
    CONSOLE_BASE_URL: "https://console.example",
  });
  anonymous = identity.connect();
  root = identity.connect({ authorization: `Bearer ${operatorToken}`, "x-operator-reason": "test" });
});
afterAll(async () => {
  await identity.close();
  operators.close();
  membersOnly.close();
});

const members = () => root.service(MemberAdminService);
const access = () => anonymous.service(OperatorAccessService);
const codeOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => "ok",
    (error: { code: string }) => error.code,
  );
const invite = async (projectClientId: string, email: string, role: string): Promise<string> => {
  const { member } = await members().addMember({ projectClientId, email, role }, callAs(null));
  return member?.id ?? "";
};
const signIn = async (claims: JWTPayload, provider: Provider = membersOnly) =>
  access().createOperatorSession({ idToken: await provider.idToken(identity.clock.now(), claims) }, callAs(null));
const claimsOf = (name: string): JWTPayload => ({
  sub: name,
  name,
  email: `${name}@shop.example`,
  email_verified: true,
});

/** Clients of the admin services for a person who has just signed in. */
async function signedIn(claims: JWTPayload, provider: Provider = membersOnly): Promise<GrpcConnection> {
  const { sessionToken } = await signIn(claims, provider);
  const { assertion } = await access().createOperatorAssertion({ sessionToken, reason: "why" }, callAs(null));
  return identity.connect({ authorization: `Bearer ${assertion}` });
}

describe("an invitation", () => {
  it("accepts an invitation by signing in with its address, however the address is spelled", async () => {
    const clientId = await makeClient(identity);
    const id = await invite(clientId, " Ann@SHOP.example ", "developer");
    const listed = async () => (await members().listMembers({ projectClientId: clientId }, callAs(null))).members;
    expect(await listed()).toMatchObject([
      { id, emailHint: "a***@shop.example", role: "developer", status: "invited" },
    ]);
    const { session } = await signIn(claimsOf("ann"));
    expect(session).toMatchObject({ roles: [], memberships: [{ projectClientId: clientId, role: "developer" }] });
    expect(await listed()).toMatchObject([{ id, status: "active", lastSignInAt: expect.anything() }]);
  });

  it("does not accept an invitation by signing in with an address that the provider did not verify", async () => {
    const clientId = await makeClient(identity);
    await invite(clientId, "bea@shop.example", "owner");
    for (const unverified of [false, "true", 1, undefined])
      expect(await codeOf(signIn({ ...claimsOf("bea"), email_verified: unverified }))).toBe("permission_denied");
    expect(await codeOf(signIn(claimsOf("bea")))).toBe("ok");
  });

  it("keeps an invitation with the person who accepted it when the address is given to somebody else", async () => {
    const clientId = await makeClient(identity);
    await invite(clientId, "cem@shop.example", "owner");
    await signIn(claimsOf("cem"));
    expect(await codeOf(signIn({ ...claimsOf("cem"), sub: "successor" }))).toBe("permission_denied");
  });

  it("accepts a repeated invitation with the same role, and reports a conflict for another role", async () => {
    const clientId = await makeClient(identity);
    const id = await invite(clientId, "dan@shop.example", "reader");
    expect(await invite(clientId, "DAN@shop.example", "reader")).toBe(id);
    expect(await codeOf(invite(clientId, "dan@shop.example", "owner"))).toBe("project_member_exists");
    await members().removeMember({ memberId: id }, callAs(null));
    expect(await invite(clientId, "dan@shop.example", "owner")).not.toBe(id);
  });

  it("accepts only a valid address and one of the three roles", async () => {
    const clientId = await makeClient(identity);
    expect(await codeOf(invite(clientId, "nobody", "reader"))).toBe("contract_violation");
    expect(await codeOf(invite(clientId, "ann@shop.example", "security"))).toBe("contract_violation");
    expect(await codeOf(invite("0197a000-0000-7000-8000-000000000009", "ann@shop.example", "reader"))).toBe(
      "project_client_not_found",
    );
  });
});

describe("a members' identity provider", () => {
  it("gives nobody a role on the platform, whatever its tokens contain", async () => {
    const clientId = await makeClient(identity);
    await invite(clientId, "eve@shop.example", "reader");
    const { session } = await signIn({ ...claimsOf("eve"), roles: ["root"] });
    expect(session).toMatchObject({ subject: "members|eve", roles: [] });
    expect(await codeOf(signIn({ ...claimsOf("stranger"), roles: ["root"] }))).toBe("permission_denied");
  });

  it("treats the same subject at the operators' provider as another person", async () => {
    const clientId = await makeClient(identity);
    await invite(clientId, "fay@shop.example", "owner");
    await signIn(claimsOf("fay"));
    const { session } = await signIn({ sub: "fay", name: "Fay", roles: ["viewer"] }, operators);
    expect(session).toMatchObject({ subject: "fay", memberships: [] });
  });

  it("asks members to sign in at the members' provider", async () => {
    expect(await access().getOperatorSignIn({ forMembers: true }, callAs(null))).toMatchObject({
      issuer: membersOnly.issuer,
    });
    expect(await access().getOperatorSignIn({}, callAs(null))).toMatchObject({ issuer: operators.issuer });
  });
});

it("lets an operator be a member as well, by their verified address at the operators' provider", async () => {
  const clientId = await makeClient(identity);
  await invite(clientId, "gus@shop.example", "owner");
  const gus = await signedIn({ ...claimsOf("gus"), roles: ["viewer"] }, operators);
  const clients = gus.service(ProjectClientAdminService);
  const request = { projectClientId: clientId, scopes: ["events:write"] };
  expect(await codeOf(clients.issueProjectCredential(request, callAs(null)))).toBe("ok");
  const other = { ...request, projectClientId: await makeClient(identity) };
  expect(await codeOf(clients.issueProjectCredential(other, callAs(null)))).toBe("permission_denied");
});

it("refuses a removed member's assertion although it would be valid for some minutes more", async () => {
  const clientId = await makeClient(identity);
  const id = await invite(clientId, "hal@shop.example", "owner");
  const hal = (await signedIn(claimsOf("hal"))).service(ProjectClientAdminService);
  const show = () => codeOf(hal.showProjectClient({ projectClientId: clientId }, callAs(null)));
  expect(await show()).toBe("ok");
  await members().removeMember({ memberId: id }, callAs(null));
  expect(await show()).toBe("permission_denied");
});

it("applies a change of role to assertions that were signed before it", async () => {
  const clientId = await makeClient(identity);
  const id = await invite(clientId, "ida@shop.example", "owner");
  const ida = (await signedIn(claimsOf("ida"))).service(ProjectClientAdminService);
  const issue = () => ida.issueProjectCredential({ projectClientId: clientId, scopes: ["events:write"] }, callAs(null));
  expect(await codeOf(issue())).toBe("ok");
  await members().setMemberRole({ memberId: id, role: "developer" }, callAs(null));
  expect(await codeOf(issue())).toBe("permission_denied");
});

it("lets owners invite others, but not members with lesser roles", async () => {
  const clientId = await makeClient(identity);
  await invite(clientId, "jan@shop.example", "owner");
  await invite(clientId, "kim@shop.example", "developer");
  const addAs = async (name: string, email: string) => {
    const person = (await signedIn(claimsOf(name))).service(MemberAdminService);
    return codeOf(person.addMember({ projectClientId: clientId, email, role: "reader" }, callAs(null)));
  };
  expect(await addAs("jan", "lea@shop.example")).toBe("ok");
  expect(await addAs("kim", "mia@shop.example")).toBe("permission_denied");
});

describe("the last owner of a project", () => {
  const rolesIn = async (clientId: string): Promise<string[]> =>
    (await members().listMembers({ projectClientId: clientId }, callAs(null))).members.map(({ role }) => role);

  it("lets only operators remove or demote the last owner, even if another owner is invited", async () => {
    const clientId = await makeClient(identity);
    const last = await invite(clientId, "ora@shop.example", "owner");
    const invited = await invite(clientId, "pia@shop.example", "owner");
    const ora = (await signedIn(claimsOf("ora"))).service(MemberAdminService);
    expect(await codeOf(ora.removeMember({ memberId: last }, callAs(null)))).toBe("last_project_owner");
    for (const role of ["developer", "reader"])
      expect(await codeOf(ora.setMemberRole({ memberId: last, role }, callAs(null)))).toBe("last_project_owner");
    expect(await rolesIn(clientId)).toEqual(["owner", "owner"]);
    // A change that does not affect the last owner's role is accepted.
    expect(await codeOf(ora.setMemberRole({ memberId: last, role: "owner" }, callAs(null)))).toBe("ok");
    expect(await codeOf(ora.removeMember({ memberId: invited }, callAs(null)))).toBe("ok");
    expect(await codeOf(members().removeMember({ memberId: last }, callAs(null)))).toBe("ok");
  });

  it("keeps one owner when two owners remove each other concurrently (project without an administrator)", async () => {
    const clientId = await makeClient(identity);
    const names = ["quin", "rex"] as const;
    const ids = await Promise.all(names.map((name) => invite(clientId, `${name}@shop.example`, "owner")));
    const people = await Promise.all(names.map((name) => signedIn(claimsOf(name))));
    const codes = await Promise.all(
      people.map((person, index) =>
        codeOf(person.service(MemberAdminService).removeMember({ memberId: ids[1 - index] ?? "" }, callAs(null))),
      ),
    );
    expect(await rolesIn(clientId)).toContain("owner");
    expect(codes.filter((code) => code === "ok").length).toBeLessThanOrEqual(1);
  });
});

it("deletes the members of a project that is erased, and a person who is erased", async () => {
  const [erased, kept] = [await makeClient(identity), await makeClient(identity)];
  await invite(erased, "nia@shop.example", "owner");
  await invite(kept, "nia@shop.example", "owner");
  const nia = (await signedIn(claimsOf("nia"))).service(ProjectClientAdminService);
  const show = (projectClientId: string) => codeOf(nia.showProjectClient({ projectClientId }, callAs(null)));
  const erasures = root.service(ErasureAdminService);
  await erasures.eraseProjectClient({ projectClientId: erased }, callAs(null));
  await eventually(async () => (await show(erased)) === "project_client_not_found", { what: "no membership" });
  expect(await show(kept)).toBe("ok");
  await erasures.erasePerson({ email: "nia@shop.example" }, callAs(null));
  await eventually(async () => (await show(kept)) === "permission_denied", { what: "no membership at all" });
});

describe("the email with an invitation", () => {
  const mailsTo = (email: string) => identity.sink.messages({ channel: "email", to: email });
  const stateOf = async (memberId: string) =>
    (await members().getMember({ memberId }, callAs(null))).member?.invitationEmail;
  const becomes = (id: string, state: string) => eventually(async () => (await stateOf(id)) === state, { what: state });

  it("contains the project, the role and the address, and a link to the console without a token", async () => {
    const clientId = await makeClient(identity);
    await becomes(await invite(clientId, "ira@shop.example", "developer"), "sent");
    const [{ parsed } = { parsed: null }] = await mailsTo("ira@shop.example");
    expect(parsed?.subject).toBe("You have been invited to the project Test project");
    expect(parsed?.text.trim().split("\n\n")).toEqual([
      expect.stringMatching(/^You have been invited to the project Test project. As a developer, you can /),
      "To accept the invitation, sign in with the address ira@shop.example:",
      `https://console.example/projects/${clientId}`,
      "If you do not know this project, you can ignore this email.",
    ]);
  });

  it("is sent once for each address, and not after the invitation was accepted or withdrawn", async () => {
    const clientId = await makeClient(identity);
    await identity.stopWorker();
    const memberId = await invite(clientId, "jil@shop.example", "reader");
    await members().removeMember({ memberId }, callAs(null));
    const accepted = await invite(clientId, "kai@shop.example", "reader");
    await signIn(claimsOf("kai"));
    expect(await stateOf(accepted)).toBe("");
    const repeated = await invite(clientId, "lou@shop.example", "reader");
    expect(await invite(clientId, "lou@shop.example", "reader")).toBe(repeated);
    await identity.startWorker();
    await becomes(repeated, "sent");
    await becomes(await invite(clientId, "max@shop.example", "reader"), "sent");
    const counts = ["jil", "kai", "lou"].map(async (name) => (await mailsTo(`${name}@shop.example`)).length);
    expect(await Promise.all(counts)).toEqual([0, 0, 1]);
  });

  it("leaves the invitation valid if the mail server rejects the address", async () => {
    identity.sink.setFault({ channel: "email", status: 550 });
    onTestFinished(() => identity.sink.clearFaults());
    const clientId = await makeClient(identity);
    await becomes(await invite(clientId, "ned@shop.example", "reader"), "not_sent");
    const { session } = await signIn(claimsOf("ned"));
    expect(session?.memberships).toMatchObject([{ projectClientId: clientId }]);
  });

  it("is sent to 20 people of a project within an hour and no more (an owner who floods addresses)", async () => {
    const [clientId, other] = [await makeClient(identity), await makeClient(identity)];
    const began = identity.clock.now().getTime();
    identity.clock.stopAt(new Date(began));
    const names = Array.from({ length: 25 }, (_, n) => `flood-${n}@shop.example`);
    const ids = await Promise.all(names.map((email) => invite(clientId, email, "reader")));
    const states = await Promise.all(ids.map(stateOf));
    expect(states.filter((state) => state === "not_sent").length).toBe(5);
    // Neither a removal nor a repeated invitation allows another email.
    await members().removeMember({ memberId: ids[0] ?? "" }, callAs(null));
    identity.clock.stopAt(new Date(began + 3_600_000 - 1));
    expect(await stateOf(await invite(clientId, names[0] ?? "", "reader"))).toBe("not_sent");
    await becomes(await invite(other, "oda@shop.example", "reader"), "sent");
    identity.clock.stopAt(new Date(began + 3_600_000));
    await becomes(await invite(clientId, "pam@shop.example", "reader"), "sent");
  });

  it("is sent up to 7 days after the invitation, and not later", async () => {
    const clientId = await makeClient(identity);
    await identity.stopWorker();
    const began = identity.clock.now().getTime();
    identity.clock.stopAt(new Date(began));
    const over = await invite(clientId, "ray@shop.example", "reader");
    identity.clock.stopAt(new Date(began + 1));
    const inTime = await invite(clientId, "sue@shop.example", "reader");
    identity.clock.stopAt(new Date(began + 7 * 86_400_000));
    await identity.startWorker();
    await becomes(inTime, "sent");
    await becomes(over, "not_sent");
  });
});
