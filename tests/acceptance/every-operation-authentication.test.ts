import { randomUUID } from "node:crypto";
import { exampleRequests } from "@platform/contracts/examples";
import { operationList } from "@platform/contracts/operations";
import { scopes } from "@platform/contracts/scopes";
import { beforeAll, describe, expect, test } from "vitest";
import { ctl, newClient, type TestClient } from "./stack.ts";
import { credentialNearMisses, type NearMisses, sessionNearMisses } from "./walk/near-misses.ts";
import { send } from "./walk/operation-request.ts";

/** Constant for all requests of one comparison, so that whole bodies can be compared. */
const correlationId = randomUUID();
const headers = { "x-correlation-id": correlationId };
const credentialed = operationList.filter(({ auth }) => auth.scheme === "projectCredential");
const sessioned = operationList.filter(({ auth }) => auth.scheme === "platformSession");
const open = operationList.filter(({ auth }) => auth.scheme === "none");

let client: TestClient;
let nearMisses: Readonly<Record<string, NearMisses>>;
let oldSession: string;
/** Credentials by scope. Each has only that scope. */
let byScope: ReadonlyMap<string, string>;

beforeAll(async () => {
  const [made, account] = await Promise.all([
    newClient(),
    ctl(["accounts", "create", "--email", `${randomUUID()}@example.com`, "--password", randomUUID(), "--verified"]),
  ]);
  client = made;
  const openSession = (secondsAgo: number) =>
    ctl(["sessions", "create", "--account", account.id, "--authenticated-seconds-ago", `${secondsAgo}`]);
  const issued = Promise.all(
    scopes.map(async (scope) => {
      const { credential } = await ctl(["credentials", "issue", "--client", client.id, "--scopes", scope]);
      return [scope, credential] as const;
    }),
  );
  const [{ session }, old] = await Promise.all([openSession(0), openSession(601)]);
  oldSession = old.session;
  byScope = new Map(await issued);
  nearMisses = {
    projectCredential: await credentialNearMisses(client, session),
    platformSession: await sessionNearMisses(account.id, session, client.credential),
  };
});

describe.each([...credentialed, ...sessioned])("$id", (operation) => {
  test("rejects every nearly valid credential with the same 401", async () => {
    const misses = Object.entries(nearMisses[operation.auth.scheme] ?? {});
    const answers = await Promise.all(
      misses.map(async ([name, authorization]) => {
        const reply = await send(operation, exampleRequests[operation.id], {
          credential: null,
          headers: { ...headers, ...(authorization === null ? {} : { authorization }) },
        });
        return { name, status: reply.status, challenge: reply.headers.get("www-authenticate"), text: reply.text };
      }),
    );
    const text = JSON.stringify({
      error: {
        code: "unauthenticated",
        message:
          "The credential is missing, malformed, unknown, expired or revoked. Send it as: Authorization: Bearer <credential>.",
        retryable: false,
        correlation_id: correlationId,
        details: {},
      },
    });
    expect(answers).toEqual(misses.map(([name]) => ({ name, status: 401, challenge: "Bearer", text })));
  });
});

describe.each(credentialed)("$id", (operation) => {
  const required = operation.auth.scheme === "projectCredential" ? operation.auth.scope : "";

  test.each(scopes.filter((scope) => scope !== required))(
    "returns 403 for a credential that has only the scope %s",
    async (scope) => {
      const credential = byScope.get(scope);
      const reply = await send(operation, exampleRequests[operation.id], { credential, headers });
      expect({ status: reply.status, json: reply.json }).toEqual({
        status: 403,
        json: {
          error: {
            code: "insufficient_scope",
            message: expect.any(String),
            retryable: false,
            correlation_id: correlationId,
            details: { required_scope: required },
          },
        },
      });
    },
  );

  test("accepts a credential that has only the scope of the operation", async () => {
    const reply = await send(operation, exampleRequests[operation.id], { credential: byScope.get(required) });
    expect([401, 403]).not.toContain(reply.status);
  });
});

describe.each(sessioned)("$id", (operation) => {
  test("refuses a session authenticated more than ten minutes ago with 403", async () => {
    const reply = await send(operation, exampleRequests[operation.id], { credential: oldSession, headers });
    expect(reply.status).toBe(403);
    expect(reply.json.error).toMatchObject({ code: "recent_authentication_required", retryable: false });
  });
});

describe.each(open)("$id", (operation) => {
  test("ignores credentials where none is needed", async () => {
    const request = exampleRequests[operation.id];
    const [without, withBad] = await Promise.all([
      send(operation, request, { headers }),
      send(operation, request, { headers: { ...headers, authorization: "Bearer nonsense" } }),
    ]);
    expect(without.status).not.toBe(401);
    expect(withBad.status).toBe(without.status);
  });
});

describe("a disabled Project Client", () => {
  test("refuses a disabled Project Client with 403 in every operation that takes a credential", async () => {
    const disabled = await newClient();
    await ctl(["clients", "disable", "--client", disabled.id]);
    const answers = await Promise.all(
      credentialed.map(async (operation) => {
        const reply = await send(operation, exampleRequests[operation.id], { credential: disabled.credential });
        return [operation.id, reply.status, reply.json.error.code];
      }),
    );
    expect(answers).toEqual(credentialed.map(({ id }) => [id, 403, "project_client_disabled"]));
  });
});
