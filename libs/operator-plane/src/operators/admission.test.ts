import { create } from "@bufbuild/protobuf";
import { silentLogger } from "@platform/kit/process/telemetry";
import type { MemberRoleName, Membership, Operator, RoleName } from "@platform/kit/rpc/client";
import { isServiceError } from "@platform/kit/rpc/errors";
import { QuotaLevelService } from "@platform/proto/events/v1/events_service";
import { SubscriptionAdminService } from "@platform/proto/events/v1/subscription_admin";
import { FilesAdminService } from "@platform/proto/files/v1/files_admin";
import { ProjectClientAdminService } from "@platform/proto/identity/v1/identity_admin";
import { DeliveryAdminService } from "@platform/proto/notify/v1/delivery_admin";
import { Counter, Registry } from "@prometheus-io/client";
import { describe, expect, it } from "vitest";
import { accessOf } from "./access.ts";
import { createAdmission } from "./admission.ts";
import { clientOfCall } from "./client-of-call.ts";

const [own, other] = ["0197a000-0000-7000-8000-000000000001", "0197a000-0000-7000-8000-000000000002"];
const owners = {
  subscription_id: { collection: "event_subscriptions" },
  file_object_id: { collection: "file_objects" },
  credential_id: { collection: "project_credentials" },
};
const nowMs = Date.UTC(2026, 10, 26);
/** The project that owns the resource with each id. */
const resources: Readonly<Record<string, string>> = { "own-thing": own, "other-thing": other };

const { listSubscriptions, pauseSubscription } = SubscriptionAdminService.method;
const { issueProjectCredential, rotateProjectCredential, setQuota, showProjectClient } =
  ProjectClientAdminService.method;
const { listDeliveries } = DeliveryAdminService.method;
const { getFileObject } = FilesAdminService.method;

type Method = Parameters<typeof accessOf>[0];

const memberOf = (clientId: string, role: MemberRoleName, isClientDisabled = false): Membership => ({
  clientId,
  role,
  isClientDisabled,
});

function person(memberships: readonly Membership[], roles: readonly RoleName[] = []): Operator {
  const rest = {
    subject: "ann",
    name: "Ann",
    reason: "because",
    isBreakGlass: false,
    sessionId: "s1",
    signedInAtMs: null,
    expiresAtMs: null,
  };
  return { ...rest, roles, memberships };
}

/** Runs the admission of a call. Returns the admitted caller, or the error code of the refusal. */
async function admit(
  operator: Operator,
  method: Method,
  request: Readonly<Record<string, unknown>>,
  contextClientId: string | null = null,
) {
  const access = accessOf(method);
  if (access === null) throw new Error(`${method.name} has no operator_access`);
  const refused = new Counter({ name: "refused", help: "-", labelNames: ["rpc", "code"], registers: [new Registry()] });
  const clientOf = clientOfCall(method, access, owners, async (_field, id) => resources[id] ?? null);
  const projectClient = contextClientId === null ? null : { id: contextClientId, environment: "" };
  const call = { operator, logger: silentLogger(), projectClient };
  try {
    return await createAdmission({ method, access, clientOf, owners, refused, now: () => nowMs })(
      create(method.input, request),
      call,
    );
  } catch (error) {
    if (!isServiceError(error)) throw error;
    return { code: error.code, details: error.details, message: error.message };
  }
}

describe("a member's call that names the project", () => {
  it("admits a member in their own project, with their role in the record", async () => {
    const request = { projectClientId: own, scopes: ["events:write"] };
    expect(await admit(person([memberOf(own, "owner")]), issueProjectCredential, request)).toMatchObject({
      isRecorded: true,
      roles: ["owner"],
      request,
    });
  });

  it("rejects a member below the required role, with an error that names the role", async () => {
    const refusal = await admit(person([memberOf(own, "developer")]), issueProjectCredential, { projectClientId: own });
    expect(refusal).toMatchObject({
      code: "permission_denied",
      details: { member_roles: ["owner"], roles: ["security", "root"] },
      message: expect.stringContaining("needs the role owner in the project"),
    });
  });

  it("reports another project as not found, whether it exists or not", async () => {
    for (const projectClientId of [other, "0197a000-0000-7000-8000-000000000009", "no-uuid"])
      expect(await admit(person([memberOf(own, "owner")]), listSubscriptions, { projectClientId })).toMatchObject({
        code: "project_client_not_found",
      });
  });

  it("rejects a call that names no project, although operators may omit it", async () => {
    for (const [method, request] of [
      [listSubscriptions, {}],
      [listDeliveries, {}],
      [listDeliveries, { filter: {} }],
    ] as const)
      expect(await admit(person([memberOf(own, "owner")]), method, request)).toMatchObject({
        code: "permission_denied",
        message: expect.stringContaining("Members name their project"),
      });
  });

  it("checks the project in the request's filter, too", async () => {
    const owner = person([memberOf(own, "owner")]);
    expect(await admit(owner, listDeliveries, { filter: { projectClientId: own } })).toMatchObject({
      roles: ["owner"],
    });
    expect(await admit(owner, listDeliveries, { filter: { projectClientId: other } })).toMatchObject({
      code: "project_client_not_found",
    });
  });

  it("rejects members of every role if members must never call the RPC", async () => {
    const request = { projectClientId: own, resource: "events", limit: 1n };
    expect(await admit(person([memberOf(own, "owner")]), setQuota, request)).toMatchObject({
      code: "permission_denied",
      details: { roles: ["operator", "root"] },
    });
  });
});

describe("a member's call that names a resource by its id", () => {
  it("admits a member for a resource of their own project", async () => {
    const request = { subscriptionId: "own-thing" };
    expect(await admit(person([memberOf(own, "developer")]), pauseSubscription, request)).toMatchObject({
      isRecorded: true,
      roles: ["developer"],
      request,
    });
  });

  it("replaces the id of another project's resource by an unknown id, and records nothing", async () => {
    for (const subscriptionId of ["other-thing", "no-such-thing"]) {
      const admitted = await admit(person([memberOf(own, "reader")]), pauseSubscription, { subscriptionId });
      expect(admitted).toMatchObject({ isRecorded: false });
      expect(Reflect.get(Reflect.get(admitted ?? {}, "request") as object, "subscriptionId")).not.toBe(subscriptionId);
    }
  });

  it("does not let a member reach another project through a second field of the request", async () => {
    const owner = person([memberOf(own, "owner")]);
    const both = { projectClientId: other, fileObjectId: "own-thing" };
    expect(await admit(owner, getFileObject, both)).toMatchObject({ code: "project_client_not_found" });
    const mixed = { projectClientId: own, fileObjectId: "other-thing" };
    const admitted = await admit(owner, getFileObject, mixed);
    expect(Reflect.get(Reflect.get(admitted ?? {}, "request") as object, "fileObjectId")).not.toBe("other-thing");
  });
});

describe("a member's call whose context names the project", () => {
  const reader = person([memberOf(own, "reader")]);
  const { getQuotaLevel } = QuotaLevelService.method;

  it("admits a member only in their own project", async () => {
    expect(await admit(reader, getQuotaLevel, {}, own)).toMatchObject({ roles: ["reader"] });
    expect(await admit(reader, getQuotaLevel, {}, other)).toMatchObject({ code: "project_client_not_found" });
    expect(await admit(reader, getQuotaLevel, {})).toMatchObject({ code: "permission_denied" });
  });

  it("does not let a member reach another project by a context that differs from the request", async () => {
    const request = { projectClientId: own };
    expect(await admit(reader, listSubscriptions, request, other)).toMatchObject({ code: "project_client_not_found" });
    const ofBoth = person([memberOf(own, "owner"), memberOf(other, "reader")]);
    expect(await admit(ofBoth, listSubscriptions, request, other)).toMatchObject({ code: "permission_denied" });
    expect(await admit(ofBoth, listSubscriptions, request, own)).toMatchObject({ roles: ["owner"] });
  });
});

describe("a person in two projects", () => {
  const person2 = person([memberOf(own, "owner"), memberOf(other, "reader")]);

  it("admits a person in two projects to each of them with the role in that project", async () => {
    expect(await admit(person2, rotateProjectCredential, { credentialId: "own-thing" })).toMatchObject({
      roles: ["owner"],
    });
    expect(await admit(person2, rotateProjectCredential, { credentialId: "other-thing" })).toMatchObject({
      code: "permission_denied",
    });
    expect(await admit(person2, showProjectClient, { projectClientId: other })).toMatchObject({ roles: ["reader"] });
  });
});

describe("a person who is an operator as well", () => {
  it("admits a person as a member to calls that their role on the platform does not permit", async () => {
    const both = person([memberOf(own, "owner")], ["viewer"]);
    expect(await admit(both, issueProjectCredential, { projectClientId: own })).toMatchObject({
      roles: ["viewer", "owner"],
    });
  });

  it("reports the refusal in another project to people with a role on the platform, who may know that it exists", async () => {
    const both = person([memberOf(own, "owner")], ["viewer"]);
    for (const [method, request] of [
      [issueProjectCredential, { projectClientId: other }],
      [rotateProjectCredential, { credentialId: "other-thing" }],
    ] as const)
      expect(await admit(both, method, request)).toMatchObject({ code: "permission_denied" });
  });
});

describe("a member of a disabled project", () => {
  const owner = person([memberOf(own, "owner", true)]);

  it("still allows reading in a disabled project", async () => {
    expect(await admit(owner, listSubscriptions, { projectClientId: own })).toMatchObject({ roles: ["owner"] });
  });

  it("allows no change in a disabled project", async () => {
    expect(await admit(owner, issueProjectCredential, { projectClientId: own })).toMatchObject({
      code: "project_client_disabled",
    });
  });
});

describe("addresses of a project's people", () => {
  const request = { filter: { projectClientId: own }, reveal: true };

  it("reveals addresses to a developer with a reason, and records the access", async () => {
    expect(await admit(person([memberOf(own, "developer")]), listDeliveries, request)).toMatchObject({
      isRecorded: true,
    });
    const silent = { ...person([memberOf(own, "developer")]), reason: null };
    expect(await admit(silent, listDeliveries, request)).toMatchObject({ code: "reason_required" });
  });

  it("does not reveal addresses to a reader", async () => {
    expect(await admit(person([memberOf(own, "reader")]), listDeliveries, request)).toMatchObject({
      code: "permission_denied",
    });
  });
});

describe("what changes security", () => {
  const signedInAgo = (seconds: number, memberships: readonly Membership[], roles: readonly RoleName[]): Operator => ({
    ...person(memberships, roles),
    signedInAtMs: nowMs - seconds * 1_000,
  });
  const request = { projectClientId: own, scopes: ["events:write"] };

  it.each([
    ["an operator", [], ["security"]],
    ["a member", [memberOf(own, "owner")], []],
  ] as const)(
    "admits a change of security 900 s after %s has signed in, and not 901 s",
    async (_who, memberships, roles) => {
      expect(await admit(signedInAgo(900, memberships, roles), issueProjectCredential, request)).toMatchObject({
        isRecorded: true,
      });
      expect(await admit(signedInAgo(901, memberships, roles), issueProjectCredential, request)).toMatchObject({
        code: "recent_sign_in_required",
      });
    },
  );

  it("permits changes that do not concern security after an old sign-in", async () => {
    const old = signedInAgo(7 * 3_600, [memberOf(own, "developer")], []);
    expect(await admit(old, pauseSubscription, { subscriptionId: "own-thing" })).toMatchObject({ isRecorded: true });
  });
});
