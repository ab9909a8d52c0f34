import { exampleRequests } from "@platform/contracts/examples";
import { type NamedOperation, operationList } from "@platform/contracts/operations";
import { beforeAll, describe, expect, test } from "vitest";
import { type ApiReply, ctl, newClient } from "./stack.ts";
import { type OperationRequest, send } from "./walk/operation-request.ts";
import { newProject, type Project } from "./walk/project.ts";
import { workingRequests } from "./walk/working-requests.ts";

const credentialed = operationList.filter(({ auth }) => auth.scheme === "projectCredential");
const spending = credentialed.filter(({ quota }) => quota !== null);

const setLimit = (clientId: string, resource: string, limit: number) =>
  ctl(["quotas", "set", "--client", clientId, "--resource", resource, "--limit", `${limit}`]);

/** Expects the complete response to a request beyond a quota. */
function expectRefusal(reply: ApiReply, resource: string, used: number, limit: number): void {
  expect({ status: reply.status, json: reply.json }).toEqual({
    status: 429,
    json: {
      error: {
        code: "platform_quota_exceeded",
        message: expect.any(String),
        retryable: true,
        correlation_id: reply.headers.get("x-correlation-id"),
        details: { resource, used, limit, retry_after_seconds: expect.any(Number) },
      },
    },
  });
  const { retry_after_seconds: seconds } = reply.json.error.details;
  expect(Number.isInteger(seconds) && seconds >= 1).toBe(true);
  expect(reply.headers.get("retry-after")).toBe(`${seconds}`);
}

describe("api_traffic", () => {
  let credential: string;
  beforeAll(async () => {
    const client = await newClient();
    credential = client.credential;
    await setLimit(client.id, "api_traffic", 1);
  });

  test.each(credentialed)(
    "refuses the second request of a quota of 1 a minute before reading it: $id",
    async (operation) => {
      const ask = (request: OperationRequest) => send(operation, request, { credential });
      const valid = exampleRequests[operation.id];
      // The first request needs the only unit of the minute, which an earlier operation may have spent. The minute may
      // change once in between.
      await ask(valid);
      const invalid = operation.body === null ? valid : { ...valid, body: {} };
      let refused = await ask(invalid);
      if (refused.status !== 429) refused = await ask(invalid);
      expectRefusal(refused, "api_traffic", 1, 1);
      expect(refused.headers.get("ratelimit-policy")).toBe('"api_traffic";q=1;w=60');
      expect(refused.headers.get("ratelimit")).toBe(
        `"api_traffic";r=0;t=${refused.json.error.details.retry_after_seconds}`,
      );
    },
  );
});

describe("every response of an operation with a credential", () => {
  test("reports the remaining api_traffic", async () => {
    const { credential } = await newClient();
    const headers = await Promise.all(
      credentialed.map(async (operation) => {
        const reply = await send(operation, exampleRequests[operation.id], { credential });
        return `${reply.headers.get("ratelimit-policy")} ${reply.headers.get("ratelimit")}`;
      }),
    );
    expect(headers).toEqual(
      credentialed.map(() => expect.stringMatching(/^"api_traffic";q=\d+;w=60 "api_traffic";r=\d+;t=\d+$/)),
    );
  });
});

describe("resource quotas", () => {
  let project: Project;
  beforeAll(async () => {
    project = await newProject();
  });

  /** Returns the units of the resource that were spent so far. */
  async function usedOf(resource: string): Promise<number> {
    const rows: { resource: string; used: number }[] = await ctl(["quotas", "show", "--client", project.client.id]);
    return rows.find((row) => row.resource === resource)?.used ?? 0;
  }

  const amountOf = (operation: NamedOperation, request: OperationRequest): number => {
    const amount = operation.quota?.amount ?? 1;
    return amount === 1 ? 1 : Number(request.body?.[amount.bodyField]);
  };

  test.each(spending)(
    "$id: accepts the last unit, refuses the next, and spends nothing on a replay or a failure",
    async (operation) => {
      const { credential, id } = project.client;
      const resource = operation.quota?.resource ?? "";
      const [first, second] = [
        await workingRequests[operation.id](project),
        await workingRequests[operation.id](project),
      ];
      const limit = (await usedOf(resource)) + amountOf(operation, first);
      await setLimit(id, resource, limit);
      const ask = (request: OperationRequest, idempotencyKey: string) =>
        send(operation, request, { credential, idempotencyKey });

      // The service checks this rule before the quota, so the request spends nothing and is not rejected because of the quota.
      expect((await ask({ ...first, body: {} }, `${operation.id}-bad`)).status).toBe(422);
      const passed = await ask(first, `${operation.id}-1`);
      expect({ status: passed.status, text: passed.text }).toMatchObject({ status: operation.status });
      expectRefusal(await ask(second, `${operation.id}-2`), resource, limit, limit);
      // A refusal is not stored: with one more unit the same key succeeds, and the first key still returns its first
      // outcome.
      const again = await ask(first, `${operation.id}-1`);
      // A repeat is recognized before the quota is checked, even if the service rejects it.
      expect(again.status).toBe(operation.idempotency?.replay === "refuse" ? 422 : operation.status);
      expect(await usedOf(resource)).toBe(limit);
      await setLimit(id, resource, limit + amountOf(operation, second));
      expect((await ask(second, `${operation.id}-2`)).status).toBe(operation.status);
    },
  );
});
