import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runCtl } from "@platform/stack/run-ctl";
import { readEnvFile } from "@platform/stack/settings";
import { MongoClient } from "mongodb";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { acceptanceStack, newClient, type TestClient } from "./stack.ts";

const { directory } = acceptanceStack;
const homes = mkdtempSync(join(tmpdir(), "platformctl-"));
const roles = ["viewer", "support", "operator", "security", "root"] as const;
type Role = (typeof roles)[number];

/** Runs platformctl for one person, with a home folder of their own, so that several people can be signed in. */
const ctlOf =
  (home: string) =>
  (...args: string[]): Promise<any> =>
    runCtl(directory, args, { PLATFORMCTL_HOME: join(homes, home) });
const as = (role: Role) => ctlOf(role);
const outcome = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => "ok",
    (error: Error) => error.message,
  );

let client: TestClient;
beforeAll(async () => {
  client = await newClient();
  for (const role of roles) await as(role)("login", "--as", role);
});
afterAll(() => rmSync(homes, { recursive: true, force: true }));

describe("signing in", () => {
  it.each(roles)("signs in as %s with that role and an expiry in the future", async (role) => {
    const who = await as(role)("whoami");
    expect(who).toEqual({ subject: role, name: `Local ${role}`, roles: [role], expires_at: expect.any(String) });
    expect(Date.parse(who.expires_at)).toBeGreaterThan(Date.now() + 3_600_000);
  });

  it("refuses the earlier token after logout", async () => {
    const ctl = ctlOf("leaver");
    await ctl("login", "--as", "viewer");
    await ctl("logout");
    expect(await ctl("whoami")).toEqual({
      subject: "break-glass",
      name: "OPERATOR_TOKEN",
      roles: ["root"],
      expires_at: null,
    });
  });

  it("reports an unknown role as a usage error of one line", async () => {
    expect(await outcome(ctlOf("nobody")("login", "--as", "admin"))).toMatch(/^platformctl: usage: --as takes [^\n]*$/);
  });
});

describe("roles", () => {
  const calls: readonly [string, readonly string[], readonly Role[]][] = [
    ["a list", ["clients", "list"], roles],
    ["quotas", ["quotas", "show", "--client", "CLIENT"], roles],
    ["creating a client", ["clients", "create", "--name", "x", "--environment", "development"], ["operator", "root"]],
    [
      "setting a quota",
      ["quotas", "set", "--client", "CLIENT", "--resource", "events", "--limit", "5"],
      ["operator", "root"],
    ],
    [
      "issuing a credential",
      ["credentials", "issue", "--client", "CLIENT", "--scopes", "clients:read"],
      ["security", "root"],
    ],
    ["the record of operators", ["operator-actions", "list"], ["security", "root"]],
  ];
  it.each(calls)(
    "%s: admits exactly the documented roles, and names them in a refusal",
    async (_what, args, allowed) => {
      for (const role of roles) {
        const said = await outcome(as(role)(...args.map((arg) => (arg === "CLIENT" ? client.id : arg))));
        if (allowed.includes(role)) expect([role, said]).toEqual([role, "ok"]);
        else {
          expect([role, said]).toEqual([role, expect.stringMatching(/^platformctl: permission_denied: /)]);
          for (const name of allowed) expect(said).toContain(name);
        }
      }
    },
  );

  it("requires a reason from security to disable a client, but not with the operator token of older scripts", async () => {
    const other = await newClient();
    expect(await outcome(as("security")("clients", "disable", "--client", other.id))).toMatch(
      /^platformctl: reason_required: /,
    );
    await as("security")("clients", "disable", "--client", other.id, "--reason", "abuse, ticket 12");
    await as("security")("clients", "enable", "--client", other.id);
    await acceptanceStack.ctl(["clients", "disable", "--client", other.id]);
  });
});

describe("the record", () => {
  it("records who did what, for whom, why and with which outcome, without secrets", async () => {
    await as("operator")(
      "quotas",
      "set",
      "--client",
      client.id,
      "--resource",
      "events",
      "--limit",
      "77",
      "--reason",
      "更多 events",
    );
    const { items, next_cursor } = await as("security")(
      "operator-actions", "list", "--client", client.id, "--rpc", "SetQuota", "--who", "operator", "--since", "1h", "--limit", "1",
    ); // biome-ignore format: one command
    expect(items).toEqual([
      {
        id: expect.any(String),
        at: expect.any(String),
        who: "operator",
        asked_by: null,
        roles: ["operator"],
        via: null,
        rpc: "projectintegration.identity.v1.ProjectClientAdminService/SetQuota",
        client_id: client.id,
        resource: null,
        reason: "更多 events",
        correlation_id: expect.any(String),
        outcome: "succeeded",
        error: null,
        request: { project_client_id: client.id, resource: "events", limit: "77" },
      },
    ]);
    expect(next_cursor === null || typeof next_cursor === "string").toBe(true);
    const secret = "hunter2-hunter2-hunter2";
    await as("operator")("accounts", "create", "--email", `a-${client.id}@example.com`, "--password", secret);
    const all = JSON.stringify(await as("security")("operator-actions", "list", "--limit", "200"));
    expect(all).toContain("CreateAccount");
    expect(all).not.toContain(secret);
    expect(all).not.toContain(`a-${client.id}@example.com`);
  });

  it("lists every service's actions newest first, page by page without a gap", async () => {
    await as("operator")("image-presets", "create", "--name", `p-${client.id}`, "--format", "webp", "--max-width", "9", "--max-height", "9", "--quality", "9"); // biome-ignore format: one command
    const whole = await as("root")("operator-actions", "list", "--limit", "20");
    const expected: string[] = whole.items.map(({ id }: { id: string }) => id);
    const ids: string[] = [];
    for (let cursor: string | null = null; !ids.includes(expected.at(-1) ?? ""); ) {
      const page: any = await as("root")("operator-actions", "list", "--limit", "7", ...(cursor === null ? [] : ["--cursor", cursor])); // biome-ignore format: one command
      ids.push(...page.items.map(({ id }: { id: string }) => id));
      cursor = page.next_cursor;
      if (cursor === null) break;
    }
    // Other test files add newer records meanwhile.
    const start = ids.indexOf(expected[0] ?? "");
    expect(ids.slice(start, start + expected.length)).toEqual(expected);
    expect([...ids].sort().reverse()).toEqual(ids);
    expect(new Set(whole.items.map(({ rpc }: { rpc: string }) => rpc.split(".")[1])).size).toBeGreaterThan(1);
  });

  it("verifies a chain of as many records as there are actions", async () => {
    const count = async (): Promise<number> => {
      let total = 0;
      for (let cursor: string | null = ""; cursor !== null; ) {
        const page: any = await as("security")("operator-actions", "list", "--limit", "200", ...(cursor === "" ? [] : ["--cursor", cursor])); // biome-ignore format: one command
        total += page.items.length;
        cursor = page.next_cursor;
      }
      return total;
    };
    const before = await count();
    const proof = await as("security")("operator-actions", "verify");
    expect(proof).toEqual({ valid: true, length: expect.any(Number) });
    // Other test files add records meanwhile.
    expect(proof.length).toBeGreaterThanOrEqual(before);
    expect(proof.length).toBeLessThanOrEqual(await count());
  });

  it("reports an altered or removed action, and verifies again when it is restored", async () => {
    const { MONGODB_URI: uri = "", MONGODB_DATABASE_PREFIX: prefix = "" } = readEnvFile(join(directory, "stack.env"));
    const mongo = await MongoClient.connect(uri);
    const actions = mongo
      .db(`${prefix}identity`)
      .collection<{ _id: string; reason: string | null }>("operator_actions");
    const verify = (): Promise<any> =>
      as("security")("operator-actions", "verify").catch((error) => JSON.parse(error.cause.stdout));
    try {
      const before = await actions.findOne({ outcome: "succeeded" });
      if (before === null) throw new Error("operators did something before");
      await actions.updateOne({ _id: before._id }, { $set: { reason: "another reason" } });
      expect(await verify()).toMatchObject({ valid: false, reason: "action_altered", action: before._id });
      await actions.deleteOne({ _id: before._id });
      expect(await verify()).toMatchObject({ valid: false, reason: "action_missing", action: before._id });
      await actions.insertOne(before);
      expect(await verify()).toMatchObject({ valid: true });
    } finally {
      await mongo.close();
    }
  });

  it("shows the record only to security and root, even in the service that stores its chain", async () => {
    const audits = (role: Role) => outcome(as(role)("audits", "list", "--client", "operator-actions"));
    expect(await audits("security")).toBe("ok");
    for (const role of ["viewer", "support", "operator"] as const)
      expect(await audits(role)).toMatch(/permission_denied/);
  });

  it("records the operator token as break-glass", async () => {
    const other = await newClient();
    const { items } = await as("security")("operator-actions", "list", "--client", other.id);
    expect(items.map(({ who, roles: held }: any) => [who, held])).toContainEqual(["break-glass", ["root"]]);
  });
});

describe("usage errors", () => {
  it.each([
    ["an unknown flag", ["clients", "list", "--nope"]],
    ["a missing value", ["clients", "show"]],
    ["a bad number", ["operator-actions", "list", "--limit", "201"]],
    ["a bad time", ["operator-actions", "list", "--since", "yesterday"]],
    ["an unknown command", ["clientz"]],
  ])("reports %s in one line with exit code 1", async (_what, args) => {
    expect(await outcome(ctlOf("nobody")(...args))).toMatch(/^platformctl: usage: [^\n]+$/);
  });
});
