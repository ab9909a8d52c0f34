import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { DescMethod } from "@bufbuild/protobuf";
import { serviceNames as services } from "@platform/contracts/services";
import { newId } from "@platform/kit/process/secrets";
import {
  connectGrpc,
  type GrpcConnection,
  type MemberRoleName,
  memberRoleNames,
  type RoleName,
  roleNames,
} from "@platform/kit/rpc/client";
import { isServiceError } from "@platform/kit/rpc/errors";
import { accessOf, looksUp, maskOf, rolesOf, rpcName } from "@platform/operator-plane/operators";
import { DomainEventConsumerService } from "@platform/proto/events/v1/events_consumer";
import { SubscriptionAdminService } from "@platform/proto/events/v1/subscription_admin";
import { OperatorAccessService } from "@platform/proto/identity/v1/operator_access";
import { type OperatorAction, OperatorActionAdminService } from "@platform/proto/operator/v1/operator_actions";
import { openCtl } from "@platform/stack/open-ctl";
import { freePortBase } from "@platform/stack/ports";
import { runCtl } from "@platform/stack/run-ctl";
import { readEnvFile } from "@platform/stack/settings";
import { type Stack, startStack } from "@platform/stack/stack";
import { eventually } from "@platform/test-kit/eventually";
import { afterAll, beforeAll, expect, it } from "vitest";
import { allOwners, operatorRpcs, shortName } from "../src/operator-rpcs.ts";
import {
  answerToNothing,
  type MakeCall,
  type MemberCall,
  memberProblem,
  targets,
  walkAsMember,
  walkOrder,
} from "./member-walk.ts";
import { canary, type Ended, endOf, options, requestOf, servicesOf } from "./walk-calls.ts";
import { createWalkedProject, type WalkedProject } from "./walked-project.ts";

/** A call and its expected result. */
type Walked = {
  readonly service: string;
  readonly rpc: string;
  readonly role: RoleName;
  readonly reason: string | null;
  readonly correlationId: string;
  readonly code: string;
  readonly isRecorded: boolean;
};

const directory = mkdtempSync(join(tmpdir(), "operator-rpcs-"));
let stack: Stack;
const connections: GrpcConnection[] = [];
const walked: Walked[] = [];
const memberCalls: MemberCall[] = [];
/** The response to a call about something that does not exist, by the role and the RPC. */
const nothings = new Map<string, Ended>();
const owners = await allOwners();
const projects = new Map<MemberRoleName | "other", WalkedProject>();
const records = new Map<string, OperatorAction>();
const methods = await operatorRpcs();

beforeAll(async () => {
  writeFileSync(
    join(directory, "operators.env"),
    "MEMBER_READER_PASSWORD=walk\nMEMBER_READER_EMAIL=reader@example.com\n",
  );
  stack = await startStack({ directory, portBase: await freePortBase(), env: { SECOND_PERSON: "on" } });
  await walkMembers();
  for (const role of roleNames) {
    for (const reason of ["walk", null]) {
      const authorization = `Bearer ${await assertionOf(role, reason)}`;
      const connected = connectAll(authorization);
      for (const method of methods) await walk(method, role, reason, connected);
    }
  }
  for (const service of services) {
    const root = connect(service, { authorization: `Bearer ${stack.settings.OPERATOR_TOKEN}` });
    for (let cursor = ""; ; ) {
      const page = await root
        .service(OperatorActionAdminService)
        .listOperatorActions({ limit: 200, cursor }, options(newId()));
      for (const action of page.actions) records.set(action.correlationId, action);
      if (page.nextCursor === "") break;
      cursor = page.nextCursor;
    }
  }
});
afterAll(async () => {
  for (const connection of connections) connection.close();
  await stack?.stop();
  rmSync(directory, { recursive: true, force: true });
});

function connect(service: string, metadata: Record<string, string> = {}): GrpcConnection {
  const connection = connectGrpc({
    address: stack.settings[`${service.toUpperCase()}_GRPC`] ?? "",
    tls: null,
    metadata,
  });
  connections.push(connection);
  return connection;
}

/** Signs the role's person in at the local provider; the session authorizes the calls. */
async function assertionOf(role: RoleName | MemberRoleName, reason: string | null): Promise<string> {
  const home = join(directory, role);
  await runCtl(directory, ["login", "--as", role], { PLATFORMCTL_HOME: home });
  const session = JSON.parse(readFileSync(join(home, "sessions/default.json"), "utf8")) as { session_token: string };
  const { assertion } = await connect("identity")
    .service(OperatorAccessService)
    .createOperatorAssertion(
      { sessionToken: session.session_token, reason: reason ?? "", requestId: newId() },
      options(newId()),
    );
  return assertion;
}

const connectAll = (authorization: string): Map<string, GrpcConnection> =>
  new Map(services.map((service) => [service as string, connect(service, { authorization })]));

/** Calls every RPC as each role of members: about the member's own project, about another one, and without a project. */
async function walkMembers(): Promise<void> {
  const ctl = openCtl(directory);
  const people = readEnvFile(join(directory, "operators.env"));
  projects.set("other", await createWalkedProject(stack, ctl));
  for (const role of memberRoleNames) {
    const project = await createWalkedProject(stack, ctl);
    projects.set(role, project);
    const email = people[`MEMBER_${role.toUpperCase()}_EMAIL`] ?? "";
    await ctl.run(["members", "add", "--client", project.clientId, "--email", email, "--role", role]);
  }
  ctl.close();
  for (const role of memberRoleNames) {
    const connected = connectAll(`Bearer ${await assertionOf(role, "walk")}`);
    for (const method of walkOrder(methods)) {
      for (const service of servicesOf(method)) {
        const makeCall: MakeCall = (called, request, correlationId, clientId) =>
          endOf(connected.get(service), called, request, options(correlationId, clientId));
        nothings.set(`${role} ${rpcName(method)}`, await answerToNothing(method, owners, makeCall));
        const [own, other] = [projects.get(role), projects.get("other")];
        if (own === undefined || other === undefined) throw new Error("there are no projects to walk");
        memberCalls.push(...(await walkAsMember(method, role, owners, { own, other }, makeCall)));
      }
    }
  }
}

async function walk(
  method: DescMethod,
  role: RoleName,
  reason: string | null,
  connected: ReadonlyMap<string, GrpcConnection>,
): Promise<void> {
  const access = accessOf(method);
  if (access === null) throw new Error(`${rpcName(method)} is not for operators`);
  for (const service of servicesOf(method)) {
    const correlationId = newId();
    const { code } = await endOf(connected.get(service), method, requestOf(method), options(correlationId));
    // Reading personal data is recorded as well, and so is looking up a person, for every role.
    const isLook = (role !== "viewer" && maskOf(method.output) !== null) || looksUp(method.input, requestOf(method));
    const isAdmitted = rolesOf(access).includes(role) && (reason !== null || !access.reasonRequired);
    walked.push({
      service,
      rpc: rpcName(method),
      role,
      reason,
      correlationId,
      code,
      isRecorded: (access.recorded || isLook) && isAdmitted,
    });
  }
}

it("admits every role of members only to its own project, as the option says, by field and by id", () => {
  const wrong = memberCalls.flatMap((call) => {
    const method = methods.find((one) => rpcName(one) === call.rpc);
    const nothing = nothings.get(`${call.role} ${call.rpc}`);
    if (method === undefined || nothing === undefined) return [`${call.rpc} was not walked`];
    const problem = memberProblem(method, call, nothing);
    return problem === null ? [] : [`${call.rpc} by ${call.role} of ${call.target}: ${problem}`];
  });
  expect(wrong).toEqual([]);
  expect(memberCalls.length).toBeGreaterThan(methods.length * memberRoleNames.length * targets.length - 1);
});

it("records a member's actions in their own project with their role, but nothing about another project", () => {
  const recorded = memberCalls.filter(({ correlationId }) => records.has(correlationId));
  expect(recorded.filter(({ target }) => target !== "own")).toEqual([]);
  for (const { role, rpc, correlationId } of recorded) {
    const action = records.get(correlationId);
    const own = projects.get(role)?.clientId;
    expect([action?.rpc, action?.who, action?.roles, action?.clientId], rpc).toEqual([rpc, role, [role], own]);
  }
  const acts = recorded.map(({ rpc, role }) => `${role} ${rpc.split("/")[1]}`);
  expect(acts).toEqual(expect.arrayContaining(["developer ReplaySubscription", "owner RevokeProjectCredential"]));
});

it("refuses a removed member's assertion at every service, and ends their stream, within ten seconds", async () => {
  const other = projects.get("other")?.clientId ?? "";
  const ctl = openCtl(directory);
  const email = readEnvFile(join(directory, "operators.env")).MEMBER_READER_EMAIL ?? "";
  const { id } = (await ctl.run(["members", "add", "--client", other, "--email", email, "--role", "reader"])) as {
    id: string;
  };
  const events = connectAll(`Bearer ${await assertionOf("reader", null)}`).get("events");
  const reading = (async () => {
    const stream = events
      ?.service(DomainEventConsumerService)
      .readEvents({ projectClientId: other }, options(newId(), null));
    for await (const _event of stream ?? []);
  })().catch((error: unknown) => (isServiceError(error) ? error.code : error));
  const list = () =>
    events
      ?.service(SubscriptionAdminService)
      .listSubscriptions({ projectClientId: other }, options(newId(), null))
      .then(
        () => "ok",
        (error: { code: string }) => error.code,
      );
  expect(await list()).toBe("ok");
  await ctl.run(["members", "remove", "--member", id]);
  ctl.close();
  await eventually(async () => (await list()) === "project_client_not_found", { timeoutMs: 10_000, what: "a refusal" });
  expect(await reading).toBe("project_client_not_found");
});

const described = ({ rpc, role, reason, code }: Walked): string =>
  `${rpc} by ${role} ${reason ?? "without a reason"}: ${code}`;

it("admits every role to exactly the RPCs whose option names it, and requires a reason where the option does", () => {
  const wrong = walked.filter(({ rpc, role, reason, code }) => {
    const method = methods.find((one) => rpcName(one) === rpc);
    const access = method === undefined ? null : accessOf(method);
    if (access === null) return true;
    if (!rolesOf(access).includes(role)) return code !== "permission_denied";
    if (reason === null && access.reasonRequired) return code !== "reason_required";
    return ["permission_denied", "reason_required", "unauthenticated", "internal_error"].includes(code);
  });
  expect(wrong.map(described)).toEqual([]);
  expect(walked.length).toBeGreaterThan(methods.length * roleNames.length * 2 - 1);
});

it("records every call that must be recorded, but neither rejected calls nor reads", () => {
  expect(
    walked.filter(({ isRecorded, correlationId }) => isRecorded !== records.has(correlationId)).map(described),
  ).toEqual([]);
  expect(walked.some(({ isRecorded }) => isRecorded)).toBe(true);
});

it("records who called what, why, and how it ended", () => {
  for (const call of walked.filter(({ isRecorded }) => isRecorded)) {
    const { rpc, role, reason, code } = call;
    const action = records.get(call.correlationId);
    expect(
      [action?.rpc, action?.who, action?.roles, action?.reason ?? null, action?.outcome, action?.error ?? "ok"],
      described(call),
    ).toEqual([rpc, role, [role], reason, code === "ok" ? "succeeded" : "failed", code]);
  }
});

it("keeps nothing of the fields that are marked as not to be recorded", () => {
  const carrying = methods.filter((method) => Object.keys(requestOf(method)).length > 0);
  expect(carrying.map((method) => shortName(method))).toContain("identity.v1.AccountAdminService/CreateAccount");
  for (const action of records.values()) expect(JSON.stringify(action.requestJson)).not.toContain(canary);
});

it("prints the id of the approval that an act waits for, and runs the act once another person approves it", async () => {
  const homeOf = (role: RoleName) => ({ PLATFORMCTL_HOME: join(directory, role) });
  const opened = new Map(roleNames.map((role) => [role, openCtl(directory, homeOf(role))]));
  const as = (role: RoleName, ...args: string[]) => opened.get(role)?.run(args) as Promise<Record<string, unknown>>;
  const { id: client } = await as("root", "clients", "create", "--name", "Waits", "--environment", "production");
  const disable = ["clients", "disable", "--client", `${client}`, "--reason", "a leak"];
  const waiting = await runCtl(directory, disable, homeOf("security"));
  expect(waiting).toEqual({ approval_id: expect.stringMatching(/^[0-9a-f-]{36}$/) });
  const { approval_id: id } = waiting as { approval_id: string };
  const { items } = await as("viewer", "approvals", "list");
  expect((items as { id: string }[]).find((item) => item.id === id)).toEqual({
    id, act: "clients disable", client_id: client, asked_by: "security", asked_at: expect.any(String), expires_at: expect.any(String),
  }); // biome-ignore format: one row
  const own = await as("security", "approvals", "approve", "--approval", id).catch((error: unknown) => error);
  expect(own).toMatchObject({ code: "permission_denied" });
  expect(await as("root", "approvals", "approve", "--approval", id)).toMatchObject({
    ...{ id, approved: true, act: "clients disable" },
    result: { project_client: { id: client, disabled: true } },
  });
  const { items: actions } = await as("security", "operator-actions", "list", "--client", `${client}`);
  expect(actions).toMatchObject([
    { who: "root", asked_by: "security", reason: "a leak", outcome: "succeeded" },
    { who: "security", asked_by: null, reason: "a leak", error: "second_person_required" },
    { who: "root" },
  ]);

  const rotation = (await as("root", "ads", "keys", "rotate")) as { approval_id: string };
  expect(await as("security", "approvals", "approve", "--approval", rotation.approval_id)).toMatchObject({
    result: { key: { status: "active" } },
  });
  for (const ctl of opened.values()) ctl.close();
});
