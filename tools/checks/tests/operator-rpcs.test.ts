import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { DescMethod } from "@bufbuild/protobuf";
import { serviceNames as services } from "@platform/contracts/services";
import { newId } from "@platform/kit/process/secrets";
import { connectGrpc, type GrpcConnection, type RoleName, roleNames } from "@platform/kit/rpc/client";
import { isServiceError } from "@platform/kit/rpc/errors";
import { accessOf, looksUp, maskOf, rolesOf, rpcName } from "@platform/operator-plane/operators";
import { OperatorAccessService } from "@platform/proto/identity/v1/operator_access";
import { type OperatorAction, OperatorActionAdminService } from "@platform/proto/operator/v1/operator_actions";
import { freePortBase } from "@platform/stack/ports";
import { runCtl } from "@platform/stack/run-ctl";
import { type Stack, startStack } from "@platform/stack/stack";
import { afterAll, beforeAll, expect, it } from "vitest";
import { operatorRpcs, shortName } from "../src/operator-rpcs.ts";

/** Who serves what belongs to several services. */
const sharedServices: Readonly<Record<string, readonly string[]>> = {
  OperatorActionAdminService: services,
  RetentionAdminService: ["notify", "events", "files"],
  UsageAdminService: ["identity", "notify", "events"],
  RecordSearchAdminService: services,
};
/** In every field that no record may keep. */
const canary = "canary-in-a-redacted-field";

/** A call as it was made, and what must have come of it. */
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
const records = new Map<string, OperatorAction>();
const methods = await operatorRpcs();

beforeAll(async () => {
  stack = await startStack({ directory, portBase: await freePortBase() });
  for (const role of roleNames) {
    for (const reason of ["walk", null]) {
      const authorization = `Bearer ${await assertionOf(role, reason)}`;
      const connected = new Map(services.map((service) => [service as string, connect(service, { authorization })]));
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

const options = (correlationId: string) => ({
  context: {
    correlationId,
    operation: "walk",
    projectClient: { id: newId(), environment: "development" },
    idempotency: null,
  },
  deadlineMs: Date.now() + 10_000,
});

/** The role's person signs in at the local provider; their session answers for the calls. */
async function assertionOf(role: RoleName, reason: string | null): Promise<string> {
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

/** The gauge that a service owns: to be asked for another one is a defect of its caller. */
const gauges: Readonly<Record<string, string>> = {
  "projectintegration.files.v1.QuotaLevelService": "storage_bytes",
  "projectintegration.events.v1.QuotaLevelService": "audit_retention",
};

/** Every text that no record may keep, and little else: no call does more than it must to be judged and recorded. */
function requestOf({ input, parent }: Pick<DescMethod, "input" | "parent">): Record<string, string> {
  const gauge = gauges[parent.typeName];
  if (gauge !== undefined) return { resource: gauge };
  const redacted = input.fields.filter(
    ({ proto, fieldKind, scalar }) => proto.options?.debugRedact === true && fieldKind === "scalar" && scalar === 9,
  );
  return Object.fromEntries(redacted.map(({ localName }) => [localName, canary]));
}

async function walk(
  method: DescMethod,
  role: RoleName,
  reason: string | null,
  connected: ReadonlyMap<string, GrpcConnection>,
): Promise<void> {
  const [, owner = ""] = method.parent.typeName.split(".");
  const access = accessOf(method);
  if (access === null) throw new Error(`${rpcName(method)} is not for operators`);
  for (const service of sharedServices[method.parent.name] ?? [owner]) {
    const correlationId = newId();
    const code = await codeOf(connected.get(service), method, correlationId);
    // A look at personal data is recorded too, and so is a look-up of a person, whoever makes it.
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

/** How a call ends: "ok", or the code of its error. Of a stream the first response is enough. */
async function codeOf(
  connection: GrpcConnection | undefined,
  method: DescMethod,
  correlationId: string,
): Promise<string> {
  if (connection === undefined) throw new Error(`${rpcName(method)} belongs to no service`);
  const client = connection.service(method.parent) as unknown as Record<
    string,
    (request: object, how: object) => Promise<object> & AsyncIterable<object>
  >;
  const call = client[method.localName];
  if (call === undefined) throw new Error(`${rpcName(method)} has no client`);
  try {
    if (method.methodKind === "server_streaming") {
      const signal = AbortSignal.timeout(5_000);
      for await (const _answer of call(requestOf(method), { ...options(correlationId), signal })) break;
    } else await call(requestOf(method), options(correlationId));
    return "ok";
  } catch (error) {
    return isServiceError(error) ? error.code : (error as Error).name;
  }
}

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

it("keeps a record of every call that must be recorded, and none of rejected calls and reads", () => {
  expect(
    walked.filter(({ isRecorded, correlationId }) => isRecorded !== records.has(correlationId)).map(described),
  ).toEqual([]);
  expect(walked.some(({ isRecorded }) => isRecorded)).toBe(true);
});

it("says in each record who called what, why, and how it ended", () => {
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
