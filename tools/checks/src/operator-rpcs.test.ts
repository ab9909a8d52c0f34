import { readFileSync } from "node:fs";
import { join } from "node:path";
import { create, type DescField, type DescMessage, type DescMethod } from "@bufbuild/protobuf";
import { secondPersonActs } from "@platform/contracts/operator/second-person";
import { type RoleName, roleNames } from "@platform/kit/rpc/client";
import { isServiceError } from "@platform/kit/rpc/errors";
import {
  accessOf,
  admitOperator,
  clientOfCall,
  ownedField,
  type ResourceOwners,
  rpcName,
} from "@platform/operator-plane/operators";
import { ClientSource, MemberRole, type OperatorAccess, OperatorRole } from "@platform/proto/operator/v1/access";
import { describe, expect, it } from "vitest";
import {
  allServices,
  checkOperatorRpcs,
  memberProblems,
  operatorRpcs,
  ownersOf,
  problemsOf,
  secondPersonProblems,
  shortName,
} from "./operator-rpcs.ts";
import { repositoryRoot } from "./source-files.ts";

const methods = await operatorRpcs();
const operator = (role: RoleName, reason: string | null = "a reason") => ({
  subject: "ann",
  name: "Ann",
  roles: [role],
  memberships: [],
  reason,
  isBreakGlass: false,
  sessionId: null,
  signedInAtMs: null,
  expiresAtMs: null,
});

/** The generated page describes each RPC for human review. */
const page = new Map(
  readFileSync(join(repositoryRoot, "proto/operator-rpcs.md"), "utf8")
    .split("\n")
    .filter((line) => line.startsWith("| ") && line.includes("/"))
    .map((line): [string, { roles: string[]; members: string[]; recorded: string; reason: string }] => {
      const [, rpc = "", roles = "", members = "", recorded = "", reason = ""] = line
        .split("|")
        .map((cell) => cell.trim());
      return [rpc, { roles: [...roles.split(", "), "root"], members: members.split(", "), recorded, reason }];
    }),
);

it("finds exactly the RPCs for operators on the page", () => {
  expect(methods.length).toBeGreaterThan(40);
  expect([...page.keys()]).toEqual(methods.map((method) => shortName(method)));
});

describe.each(roleNames)("role %s", (role) => {
  it.each(methods.map((method) => [shortName(method), method] as const))(
    "admits %s exactly when the page names the role, and records it as the page says",
    (name, method) => {
      const access = accessOf(method);
      const said = page.get(name);
      if (access === null || said === undefined) throw new Error("an RPC for operators has an access and a line");
      const call = () => admitOperator(operator(role), access, {});
      if (said.roles.includes(role)) expect(call()).toEqual({ isRecorded: said.recorded === "yes" });
      else expect(call).toThrow(expect.objectContaining({ code: "permission_denied", details: { roles: said.roles } }));
    },
  );

  it.each(methods.map((method) => [shortName(method), method] as const))(
    "refuses %s without a reason exactly when the page asks for one",
    (name, method) => {
      const access = accessOf(method);
      const said = page.get(name);
      if (access === null || said === undefined || !said.roles.includes(role)) return expect(said).toBeDefined();
      const call = () => admitOperator(operator(role, null), access, {});
      if (said.reason === "yes") expect(call).toThrow(expect.objectContaining({ code: "reason_required" }));
      else expect(call).not.toThrow();
    },
  );

  it("reveals addresses only to support, security or root, with a reason, and records it", () => {
    for (const method of methods) {
      const access = accessOf(method);
      if (access?.canReveal !== true) continue;
      const outcomeOf = (reason: string | null): unknown => {
        try {
          return admitOperator(operator(role, reason), access, { reveal: true });
        } catch (error) {
          return isServiceError(error) ? error.code : error;
        }
      };
      const mayReveal = ["support", "security", "root"].includes(role);
      expect([method.name, outcomeOf("a reason")]).toEqual([
        method.name,
        mayReveal ? { isRecorded: true } : "permission_denied",
      ]);
      expect([method.name, outcomeOf(null)]).toEqual([
        method.name,
        mayReveal ? "reason_required" : "permission_denied",
      ]);
    }
  });
});

it("does not allow a viewer to call an RPC that changes something", () => {
  const changing = methods.filter((method) => {
    const access = accessOf(method);
    return access?.recorded === true && (page.get(shortName(method))?.roles ?? []).includes("viewer");
  });
  expect(changing.map(({ name }) => name)).toEqual([]);
});

it("reports an operators' RPC without access rules", async () => {
  const [service] = (await allServices()).filter(({ name }) => name === "ProjectAuditService");
  const [method] = service?.methods ?? [];
  if (service === undefined || method === undefined) throw new Error("there is a service without operators");
  expect(problemsOf(method)).toEqual([]);
  const renamed = { ...method, parent: { ...service, name: "ProjectAuditAdminService" } };
  expect(problemsOf(renamed)).toEqual([expect.stringContaining("has no operator_access")]);
});

it("requires every RPC to declare which members may call it and how it names their project", () => {
  const [listed] = methods.filter(({ name }) => name === "ListMembers");
  const access = listed === undefined ? null : accessOf(listed);
  if (listed === undefined || access === null) throw new Error("there is a ListMembers");
  expect(memberProblems(listed, access)).toEqual([]);
  expect(memberProblems(listed, { ...access, members: MemberRole.UNSPECIFIED })).toEqual([
    expect.stringContaining("which members of a project may call it?"),
  ]);
  expect(memberProblems(listed, { ...access, members: MemberRole.NEVER, client: ClientSource.UNSPECIFIED })).toEqual(
    [],
  );
  for (const client of [ClientSource.UNSPECIFIED, ClientSource.NONE, ClientSource.REPLY])
    expect(memberProblems(listed, { ...access, client })).toEqual([
      expect.stringContaining("its request has to name their project"),
    ]);
  const nameless = { ...listed, input: { ...listed.input, fields: [] } };
  for (const client of [ClientSource.REQUEST, ClientSource.RESOURCE])
    expect(memberProblems(nameless, { ...access, client })).toHaveLength(1);
});

it("permits approval by a second person only for an RPC that is recorded, requires the role security, has a name, contains no secret and names its client", () => {
  const method = methods.find(({ name }) => name === "EraseProjectClient");
  const access = method === undefined ? null : accessOf(method);
  if (method === undefined || access?.secondPerson === undefined) throw new Error("erasing a client can wait");
  expect(secondPersonProblems(method, access)).toEqual([]);
  const withSecret = methods.find(({ input }) => input.fields.some(({ proto }) => proto.options?.debugRedact === true));
  const wrong: [OperatorAccess, string][] = [
    [{ ...access, recorded: false }, "is recorded and for security alone"],
    [{ ...access, roles: [OperatorRole.SECURITY, OperatorRole.OPERATOR] }, "is recorded and for security alone"],
    [{ ...access, secondPerson: { ...access.secondPerson, act: "" } }, "name the words of its command"],
    [{ ...access, client: ClientSource.NONE }, "has to name its Project Client"],
  ];
  for (const [changed, problem] of wrong)
    expect(secondPersonProblems(method, changed)).toEqual([expect.stringContaining(problem)]);
  expect(secondPersonProblems({ ...method, input: withSecret?.input ?? method.input }, access)).toEqual([
    expect.stringContaining("holds a secret"),
  ]);
});

it("lists every act that a second person approves, and finds SECOND_PERSON in the manifest of its service", () => {
  const waiting = methods.filter((method) => accessOf(method)?.secondPerson !== undefined);
  expect(secondPersonActs.map(rpcName).sort()).toEqual(waiting.map(rpcName).sort());
  for (const method of waiting) {
    const [service = ""] = shortName(method).split(".");
    const manifest = readFileSync(join(repositoryRoot, `k8s/base/${service}-svc/server.yaml`), "utf8");
    expect(manifest, `without it ${shortName(method)} never waits`).toContain("key: SECOND_PERSON }");
  }
});

it("finds no problem in the proto files", async () => {
  expect(await checkOperatorRpcs()).toEqual([]);
});

it("reports a look-up that is not recorded, and a reply with personal data that is not masked", () => {
  const listed = methods.find(({ name }) => name === "ListMigrations");
  if (listed === undefined) throw new Error("there is no ListMigrations");
  const unmarked = (schema: DescMessage): DescMessage => ({
    ...schema,
    fields: schema.fields.map((field): DescField => {
      const { options: _options, ...proto } = field.proto;
      const message = field.message === undefined ? {} : { message: unmarked(field.message) };
      return { ...field, ...message, proto } as DescField;
    }),
  });
  const migrations = listed.output.fields.find(({ name }) => name === "migrations")?.message;
  if (migrations === undefined) throw new Error("there are no migrations in its reply");
  expect(problemsOf(listed)).toEqual([]);
  const problems = problemsOf({ ...listed, input: unmarked(listed.input), output: unmarked(migrations) });
  expect(problems).toEqual(
    expect.arrayContaining([
      expect.stringContaining("legacy_subject looks a person up; mark it recorded_lookup"),
      expect.stringContaining("email looks a person up; mark it recorded_lookup"),
      expect.stringContaining("OperatorMigration.legacy_subject of its reply may name a person"),
    ]),
  );
});

describe("the Project Client of a recorded call", () => {
  const recorded = methods.filter((method) => {
    const access = accessOf(method);
    return access?.recorded === true || access?.canReveal === true;
  });
  const ownersFor = (method: DescMethod): Promise<ResourceOwners> => {
    const [, service = ""] = /^projectintegration\.(\w+)\./.exec(rpcName(method)) ?? [];
    return ownersOf(service);
  };

  it.each(recorded.map((method) => [shortName(method), method] as const))(
    "finds the Project Client for %s",
    async (_, method) => {
      const access = accessOf(method);
      if (access === null) throw new Error("a recorded RPC has an access");
      const asked: unknown[] = [];
      const owners = access.client === ClientSource.RESOURCE ? await ownersFor(method) : {};
      const clientOf = clientOfCall(method, access, owners, async (field, id) => {
        asked.push([field, id]);
        return "owner";
      });
      const isOfResource = access.client === ClientSource.RESOURCE;
      const field = isOfResource ? ownedField(method, owners) : undefined;
      const request = create(method.input, field === undefined ? {} : { [field.localName]: "an id" });
      expect(await clientOf(request)).toBe(isOfResource ? "owner" : null);
      expect(asked).toEqual(isOfResource ? [[field?.name, "an id"]] : []);
    },
  );

  it("requires a recorded RPC to declare how its Project Client is found", () => {
    const [method] = recorded;
    const access = method === undefined ? null : accessOf(method);
    if (method === undefined || access === null) throw new Error("there is a recorded RPC");
    const silent = { ...access, client: ClientSource.UNSPECIFIED };
    expect(() => clientOfCall(method, silent, {}, async () => null)).toThrow("does not say how");
    const ofUnknown = { ...access, client: ClientSource.RESOURCE };
    expect(() => clientOfCall(method, ofUnknown, {}, async () => null)).toThrow("names no resource");
  });
});
