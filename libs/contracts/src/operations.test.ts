import { describe, expect, it } from "vitest";
import { answerableErrors, errorStatus } from "./answerable-errors.ts";
import { exampleResponses } from "./example-responses.ts";
import { exampleRequests } from "./examples.ts";
import type { Operation } from "./operation.ts";
import { assertDistinct, operationList, operations, routedOperations } from "./operations.ts";
import { quotaResources } from "./quotas.ts";
import { validate } from "./violations.ts";

/** The operations in the interface specification: method, path, authentication and success status. */
const specified = [
  "POST /notification-catalog/validate notifications:write 200",
  "GET /health none 200",
  "GET /project-client clients:read 200",
  "POST /project-audits audit:write 201 key:120",
  "POST /identity-migration-transactions identity-migrations:write 201 key:120",
  "GET /identity-migration-transactions/{transactionId} identity-migrations:write 200",
  "POST /identity-migration-transactions/{transactionId}/hosted-continuations identity-migrations:write 201 key:120",
  "POST /identity-migration/continue none 303",
  "POST /identity-migration-transactions/{transactionId}/link platformSession 200",
  "POST /identity-migration-transactions/{transactionId}/confirm-link identity-migrations:write 200",
  "POST /identity-migration-transactions/{transactionId}/email-verification platformSession 202",
  "GET /identity-migration-transactions/{transactionId}/verify-email/{token} none 200",
  "POST /file-objects/upload-grants files:write 200 key:120",
  "PUT /file-uploads/{uploadToken} none 200",
  "POST /file-objects/{fileObjectId}/complete files:write 200",
  "POST /file-objects/{fileObjectId}/download-grants files:read 200 key:120",
  "POST /file-objects/{fileObjectId}/public-assets files:write 200 key:120",
  "POST /domain-events events:write 200 key:120",
  "POST /email-delivery-endpoints notifications:write 200",
  "POST /email-delivery-endpoints/{endpointId}/verify notifications:write 200",
  "POST /notification-intents notifications:write 200 key:120",
  "POST /channel-notification-intents notifications:write 200 key:120",
  "POST /notification-endpoints notifications:write 200",
  "POST /notification-endpoints/{endpointId}/verify notifications:write 200",
  "GET /notification-endpoints/{endpointId} notifications:write 200",
  "DELETE /notification-endpoints/{endpointId} notifications:write 200",
  "PUT /notification-endpoints/{endpointId}/consents/{purpose} notifications:write 200",
  "GET /notification-deliveries/{deliveryId} notifications:write 200",
  "POST /scheduled-operations schedules:write 200 key:120",
  "POST /advertising/viewable-impressions none 200",
  "POST /noop none 202 key:255",
];

function summarize({ method, path, auth, status, idempotency }: Operation): string {
  const caller = auth.scheme === "projectCredential" ? auth.scope : auth.scheme;
  return `${method} ${path} ${caller} ${status}${idempotency === null ? "" : ` key:${idempotency.maxLength}`}`;
}

describe("the operation table", () => {
  it("contains exactly the operations of the interface", () => {
    expect(operationList.map(summarize).sort()).toEqual([...specified].sort());
    expect(operationList.map(({ id }) => id).sort()).toEqual(Object.keys(operations).sort());
  });

  it("routes pages and byte streams without publishing them", () => {
    const unpublished = routedOperations.filter(({ published }) => published === false);
    expect(unpublished.map(({ method, path }) => `${method} ${path}`)).toEqual([
      "GET /identity-migration/{page+}",
      "POST /identity-migration/{page+}",
      "GET /file-downloads/{file+}",
      "GET /public-assets/{asset+}",
      "GET /unsubscribe/{page+}",
      "POST /unsubscribe/{page+}",
    ]);
    expect(new Set(unpublished.map(({ transport }) => transport))).toEqual(new Set(["proxy"]));
    expect(routedOperations).toHaveLength(operationList.length + unpublished.length);
  });

  it("declares X-Correlation-ID on all operations except health, identity migration, the upload and the emailed link", () => {
    const without = operationList.filter((operation) => !operation.correlationIdDeclared).map(({ path }) => path);
    for (const path of without) expect(path).toMatch(/^\/(health|identity-migration|file-uploads)/);
    expect(without).toHaveLength(10);
  });

  it("refuses two operations with the same id or the same route", () => {
    const operation = operations["edge.noop"];
    expect(() => assertDistinct([{ a: operation }, { a: { ...operation, path: "/other" } }])).toThrow("id a");
    const one = { ...operation, path: "/things/{a}" };
    const other = { ...operation, path: "/things/{b}" };
    expect(() => assertDistinct([{ one, other }])).toThrow("one and other are both POST /things/{}");
  });
});

describe.each(operationList.map((operation) => [operation.id, operation] as const))("%s", (id, operation) => {
  it("declares exactly the parameters in the braces of its path", () => {
    const braces = [...operation.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    expect(Object.keys(exampleRequests[id].params ?? {})).toEqual(braces);
    expect(operation.params === null).toBe(braces.length === 0);
  });

  it("accepts its example request, and its schema accepts its example response", () => {
    const { params, body } = exampleRequests[id];
    if (operation.params !== null)
      expect(validate(operation.params, params, "path:")).toEqual({ ok: true, value: params });
    expect(body === null).toBe(operation.body === null);
    if (operation.body !== null) expect(validate(operation.body, body)).toMatchObject({ ok: true });
    expect(exampleResponses[id] === null).toBe(operation.response === null);
    if (operation.response !== null) {
      expect(validate(operation.response, exampleResponses[id])).toEqual({ ok: true, value: exampleResponses[id] });
    }
  });

  it("spends only quotas that exist, in units from a field of its body", () => {
    if (operation.quota === null) return;
    expect(Object.keys(quotaResources)).toContain(operation.quota.resource);
    const { amount } = operation.quota;
    if (amount !== 1) expect(exampleRequests[id].body).toHaveProperty(amount.bodyField);
  });

  it("declares each error once, with a status from the interface", () => {
    const codes = answerableErrors(operation);
    expect(new Set(codes).size).toBe(codes.length);
    const statuses = codes.map((code) => errorStatus(code, operation));
    for (const status of statuses) expect([401, 403, 404, 409, 413, 415, 422, 429, 500, 503, 504]).toContain(status);
    expect(codes.includes("platform_quota_exceeded")).toBe(operation.auth.scheme === "projectCredential");
  });
});

describe("statuses that differ between operations", () => {
  it("returns 409 for a reused key on noop and 422 elsewhere", () => {
    expect(errorStatus("idempotency_key_reused", operations["edge.noop"])).toBe(409);
    expect(errorStatus("idempotency_key_reused", operations["events.publishDomainEvent"])).toBe(422);
  });

  it("returns 404 for an absent transaction on GET and 422 elsewhere", () => {
    const code = "identity_migration_transaction_not_found";
    expect(errorStatus(code, operations["identity.getIdentityMigrationTransaction"])).toBe(404);
    expect(errorStatus(code, operations["identity.confirmLink"])).toBe(422);
    expect(errorStatus(code)).toBe(422);
  });
});
