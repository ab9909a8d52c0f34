import { timestampDate } from "@bufbuild/protobuf/wkt";
import type { GrpcConnection } from "@platform/kit/rpc/client";
import { ApprovalService } from "@platform/proto/identity/v1/approval";
import { ApprovalAdminService } from "@platform/proto/identity/v1/approval_admin";
import { ErasureAdminService } from "@platform/proto/identity/v1/erasure_admin";
import { ProjectClientAdminService } from "@platform/proto/identity/v1/identity_admin";
import { OperatorAccessService } from "@platform/proto/identity/v1/operator_access";
import { OperatorActionAdminService } from "@platform/proto/operator/v1/operator_actions";
import { eventually } from "@platform/test-kit/eventually";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { startSigningProvider } from "./identity-provider.ts";
import { callAs, operatorToken, startIdentity, type TestIdentity } from "./start-identity.ts";

const disableRpc = "projectintegration.identity.v1.ProjectClientAdminService/DisableProjectClient";

let provider: Awaited<ReturnType<typeof startSigningProvider>>;
let identity: TestIdentity;
let anonymous: GrpcConnection;
let token: Person;

beforeAll(async () => {
  provider = await startSigningProvider();
  identity = await startIdentity({ OPERATOR_OIDC_ISSUER: provider.issuer, SECOND_PERSON: "on" });
  anonymous = identity.connect();
  token = personAt(identity.connect({ authorization: `Bearer ${operatorToken}`, "x-operator-reason": "test" }));
});
afterAll(async () => {
  await identity.close();
  provider.close();
});

type Outcome = { readonly code: string; readonly approvalId: string };
type Person = ReturnType<typeof personAt>;

const outcomeOf = (work: Promise<unknown>): Promise<Outcome> =>
  work.then(
    () => ({ code: "ok", approvalId: "" }),
    ({ code, details }: { code: string; details?: { approval_id?: string } }) => ({
      code,
      approvalId: details?.approval_id ?? "",
    }),
  );

/** Options of a call that approves an act. */
const approving = (approvalId: string) => ({ ...callAs(null), metadata: { "x-operator-approval": approvalId } });

function personAt(connection: GrpcConnection) {
  const clients = connection.service(ProjectClientAdminService);
  const erasures = connection.service(ErasureAdminService);
  const approvals = connection.service(ApprovalAdminService);
  const optionsOf = (approvalId: string) => (approvalId === "" ? callAs(null) : approving(approvalId));
  return {
    disable: (projectClientId: string, approvalId = "") =>
      outcomeOf(clients.disableProjectClient({ projectClientId }, optionsOf(approvalId))),
    enable: (projectClientId: string) => outcomeOf(clients.enableProjectClient({ projectClientId }, callAs(null))),
    erase: (projectClientId: string, approvalId = "") =>
      outcomeOf(erasures.eraseProjectClient({ projectClientId }, optionsOf(approvalId))),
    list: async () => (await approvals.listApprovals({}, callAs(null))).approvals,
    show: async (approvalId: string) => (await approvals.getApproval({ approvalId }, callAs(null))).approval,
    reject: (approvalId: string) => outcomeOf(approvals.rejectApproval({ approvalId }, callAs(null))),
  };
}

/**
 * Signs a person in.
 * @param how `via` names an assistant that acts for the person; `age` is the number of seconds since the sign-in
 */
async function signedIn(sub: string, roles: string[], how: { via?: string; age?: number } = {}): Promise<Person> {
  const access = anonymous.service(OperatorAccessService);
  const now = identity.clock.now();
  const auth_time = Math.floor(now.getTime() / 1000) - (how.age ?? 0);
  const idToken = await provider.idToken(now, { sub, name: sub.toUpperCase(), roles, auth_time });
  const { sessionToken } = await access.createOperatorSession({ idToken }, callAs(null));
  const { assertion } = await access.createOperatorAssertion(
    { sessionToken, reason: `${sub}'s reason`, via: how.via ?? "" },
    callAs(null),
  );
  return personAt(identity.connect({ authorization: `Bearer ${assertion}` }));
}

async function createClient(environment = "production"): Promise<string> {
  const { projectClient } = await identity.clients.createProjectClient({ name: "Shop", environment }, callAs(null));
  return projectClient?.id ?? "";
}

const isDisabled = async (projectClientId: string): Promise<boolean> =>
  (await identity.clients.showProjectClient({ projectClientId }, callAs(null))).projectClient?.disabled ?? false;

let ann: Person;
let bob: Person;
let client: string;
beforeEach(async () => {
  [ann, bob] = [await signedIn("ann", ["security"]), await signedIn("bob", ["security"])];
  client = await createClient();
});

describe("an act on a Project Client of production", () => {
  it("runs an act only after another person with the role security has approved it", async () => {
    const asked = await ann.disable(client);
    expect(asked).toEqual({ code: "second_person_required", approvalId: expect.stringMatching(/^[0-9a-f-]{36}$/) });
    expect(await isDisabled(client)).toBe(false);
    const waiting = (await bob.list()).find(({ id }) => id === asked.approvalId);
    expect(waiting).toMatchObject({
      act: "clients disable", projectClientId: client, askedBy: "ann", askedByName: "ANN", reason: "ann's reason",
      status: "pending", rpc: disableRpc, requestJson: JSON.stringify({ project_client_id: client }),
    }); // biome-ignore format: one approval
    if (waiting?.askedAt === undefined || waiting.expiresAt === undefined) throw new Error("an approval has times");
    expect(timestampDate(waiting.expiresAt).getTime() - timestampDate(waiting.askedAt).getTime()).toBe(86_400_000);
    expect(await bob.disable(client, asked.approvalId)).toEqual({ code: "ok", approvalId: "" });
    expect(await isDisabled(client)).toBe(true);
    expect((await bob.list()).map(({ id }) => id)).not.toContain(asked.approvalId);
    expect(await bob.show(asked.approvalId)).toMatchObject({ status: "approved", decidedBy: "bob" });
  });

  it("records both the requester and the approver of an act", async () => {
    const { approvalId } = await ann.erase(client);
    expect(await bob.erase(client, approvalId)).toMatchObject({ code: "ok" });
    const record = identity.connect({ authorization: `Bearer ${operatorToken}` }).service(OperatorActionAdminService);
    const { actions } = await record.listOperatorActions({ clientId: client, rpc: "EraseProjectClient" }, callAs(null));
    expect(actions.map(({ who, askedBy, outcome, error }) => [who, askedBy, outcome, error])).toEqual([
      ["bob", "ann", "succeeded", undefined],
      ["ann", undefined, "failed", "second_person_required"],
    ]);
    expect(actions.map(({ digest }) => digest)).toEqual([expect.any(String), expect.any(String)]);
  });

  it("runs an act immediately outside production, and requests no approval for an unknown client", async () => {
    for (const environment of ["development", "sandbox", "staging"])
      expect(await ann.disable(await createClient(environment)), environment).toMatchObject({ code: "ok" });
    expect(await ann.disable("018f3c1e-0000-7000-8000-000000000000")).toMatchObject({
      code: "project_client_not_found",
    });
  });

  it("stores at most one pending request of each person for the same act", async () => {
    const [first, second] = await Promise.all([ann.disable(client), ann.disable(client)]);
    expect(second.approvalId).toBe(first.approvalId);
    expect((await ann.erase(client)).approvalId).not.toBe(first.approvalId);
    const byBob = await bob.disable(client);
    expect(byBob.approvalId).not.toBe(first.approvalId);
    expect(await ann.disable(client, byBob.approvalId)).toMatchObject({ code: "ok" });
  });

  it("refuses an act that somebody, possibly the requester, has rejected", async () => {
    for (const person of [ann, bob]) {
      const { approvalId } = await ann.disable(client);
      expect(await person.reject(approvalId)).toMatchObject({ code: "ok" });
      expect(await bob.disable(client, approvalId)).toMatchObject({ code: "approval_decided" });
      expect(await bob.reject(approvalId)).toMatchObject({ code: "approval_decided" });
    }
    expect(await isDisabled(client)).toBe(false);
    expect(await bob.reject("none")).toMatchObject({ code: "approval_not_found" });
    expect(await bob.disable(client, "none")).toMatchObject({ code: "approval_not_found" });
  });

  it("lets the break-glass token or a person with the role root approve what a person with the role security requested", async () => {
    const rick = await signedIn("rick", ["root"]);
    for (const second of [token, rick]) {
      const { approvalId } = await ann.disable(client);
      expect(await second.disable(client, approvalId)).toMatchObject({ code: "ok" });
    }
  });
});

describe("attacks on approvals", () => {
  it("refuses approval by the requester, even in another session (self-approval)", async () => {
    const { approvalId } = await ann.disable(client);
    expect(await ann.disable(client, approvalId)).toMatchObject({ code: "permission_denied" });
    const annElsewhere = await signedIn("ann", ["security", "root"]);
    expect(await annElsewhere.disable(client, approvalId)).toMatchObject({ code: "permission_denied" });
    expect(await isDisabled(client)).toBe(false);
    expect(await bob.disable(client, approvalId)).toMatchObject({ code: "ok" });
  });

  it("refuses approval by the break-glass token of what a person with the role root requested, and the reverse (self-approval)", async () => {
    const rick = await signedIn("rick", ["root"]);
    const byRick = await rick.disable(client);
    expect(await token.disable(client, byRick.approvalId)).toMatchObject({ code: "permission_denied" });
    const byToken = await token.disable(client);
    expect(await rick.disable(client, byToken.approvalId)).toMatchObject({ code: "permission_denied" });
    expect(await token.disable(client, byToken.approvalId)).toMatchObject({ code: "permission_denied" });
    expect(await isDisabled(client)).toBe(false);
    expect(await bob.disable(client, byToken.approvalId)).toMatchObject({ code: "ok" });
    const rita = await signedIn("rita", ["root"]);
    expect(await rita.disable(client, byRick.approvalId)).toMatchObject({ code: "ok" });
  });

  it("runs an act once, however many approvals arrive concurrently or later (replay)", async () => {
    const cem = await signedIn("cem", ["security"]);
    const { approvalId } = await ann.disable(client);
    const outcomes = await Promise.all([bob.disable(client, approvalId), cem.disable(client, approvalId)]);
    expect(outcomes.map(({ code }) => code).sort()).toEqual(["approval_decided", "ok"]);
    await bob.enable(client);
    expect(await bob.disable(client, approvalId)).toMatchObject({ code: "approval_decided" });
    expect(await isDisabled(client)).toBe(false);
  });

  it("refuses an approval for another client or act, and keeps it usable (request changed after approval)", async () => {
    const other = await createClient();
    const { approvalId } = await ann.disable(client);
    expect(await bob.disable(other, approvalId)).toMatchObject({ code: "approval_mismatch" });
    expect(await bob.erase(client, approvalId)).toMatchObject({ code: "approval_mismatch" });
    expect([await isDisabled(client), await isDisabled(other)]).toEqual([false, false]);
    expect(await bob.disable(client, approvalId)).toMatchObject({ code: "ok" });
  });

  it("refuses approvers without the role, assistants, and sign-ins older than 15 minutes, and keeps the approval usable", async () => {
    const { approvalId } = await ann.disable(client);
    const operator = await signedIn("oli", ["operator", "support", "viewer"]);
    expect(await operator.disable(client, approvalId)).toMatchObject({ code: "permission_denied" });
    expect(await operator.reject(approvalId)).toMatchObject({ code: "permission_denied" });
    const assistant = await signedIn("bob", ["security"], { via: "mcp" });
    expect(await assistant.disable(client, approvalId)).toMatchObject({ code: "permission_denied" });
    const stale = await signedIn("bob", ["security"], { age: 16 * 60 });
    expect(await stale.disable(client, approvalId)).toMatchObject({ code: "recent_sign_in_required" });
    expect(await bob.disable(client, approvalId)).toMatchObject({ code: "ok" });
  });
});

it("requests approval again, and runs the act once, after a kill between the use of an approval and the act", async () => {
  const { approvalId } = await ann.disable(client);
  const approval = await bob.show(approvalId);
  // Performs what the killed process had done before the kill.
  await anonymous.service(ApprovalService).useApproval(
    { approvalId, rpc: disableRpc, request: approval?.request ?? new Uint8Array(), approvedBy: { subject: "bob" } },
    callAs(null),
  ); // biome-ignore format: one call
  expect(await bob.disable(client, approvalId)).toMatchObject({ code: "approval_decided" });
  expect(await isDisabled(client)).toBe(false);
  const again = await ann.disable(client);
  expect(again).toMatchObject({ code: "second_person_required" });
  expect(again.approvalId).not.toBe(approvalId);
  expect(await bob.disable(client, again.approvalId)).toMatchObject({ code: "ok" });
});

it("deletes the approvals of a client that is erased", async () => {
  const { approvalId } = await ann.disable(client);
  const erasing = await ann.erase(client);
  await bob.erase(client, erasing.approvalId);
  await eventually(
    async () => (await outcomeOf(bob.show(approvalId))).code === "approval_not_found",
    { what: "the deletion of the approval" },
  ); // biome-ignore format: one condition
  expect(await bob.disable(client, approvalId)).toMatchObject({ code: "approval_not_found" });
});

// This test must be the last one, because it stops the clock.
it("accepts an approval until its 24 hours end, and none afterwards", async () => {
  const other = await createClient();
  const [first, second] = [await ann.disable(client), await ann.disable(other)];
  const endOf = async ({ approvalId }: Outcome): Promise<Date> => {
    const approval = await bob.show(approvalId);
    if (approval?.expiresAt === undefined) throw new Error("an approval has an end");
    return timestampDate(approval.expiresAt);
  };
  const [firstEnd, secondEnd] = [await endOf(first), await endOf(second)];
  identity.clock.stopAt(new Date(firstEnd.getTime() - 1));
  expect(await (await signedIn("bob", ["security"])).disable(client, first.approvalId)).toMatchObject({ code: "ok" });
  identity.clock.stopAt(secondEnd);
  const late = await signedIn("bob", ["security"]);
  expect((await late.list()).map(({ id }) => id)).not.toContain(second.approvalId);
  expect(await late.disable(other, second.approvalId)).toMatchObject({ code: "approval_expired" });
  expect(await late.reject(second.approvalId)).toMatchObject({ code: "approval_expired" });
  expect(await late.show(second.approvalId)).toMatchObject({ status: "expired" });
  const again = await (await signedIn("ann", ["security"])).disable(other);
  expect(again.approvalId).not.toBe(second.approvalId);
  expect(await late.disable(other, again.approvalId)).toMatchObject({ code: "ok" });
});
