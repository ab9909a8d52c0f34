import { errorCodes } from "@platform/contracts/errors";
import { exampleRequests } from "@platform/contracts/examples";
import { type OperationId, operationList } from "@platform/contracts/operations";
import { Validator } from "@seriousme/openapi-schema-validator";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { describe, expect, it } from "vitest";
import { buildOpenApi } from "./build-openapi.ts";

type Parameter = { $ref?: string; name?: string; in?: string };
type Response = {
  $ref?: string;
  description: string;
  headers: Record<string, unknown>;
  content?: Record<string, { example: unknown }>;
};
type Described = {
  operationId: string;
  security: Record<string, string[]>[];
  parameters: Parameter[];
  responses: Record<string, Response>;
};

const document = buildOpenApi(operationList);
const components = document.components as { responses: Record<string, Response> };

function described(method: string, path: string): Described {
  return document.paths[path]?.[method.toLowerCase()] as unknown as Described;
}

/** Returns the response of `operation` with `status`, after following its reference. */
function answer(operation: Described, status: number): Response | undefined {
  const response = operation.responses[status];
  const name = response?.$ref?.replace("#/components/responses/", "");
  return name === undefined ? response : components.responses[name];
}

describe("the OpenAPI document", () => {
  it("builds valid OpenAPI 3.1", async () => {
    const result = await new Validator().validate(structuredClone(document));
    expect(result.errors ?? []).toEqual([]);
    expect(result.valid).toBe(true);
  });

  it("refers only to existing components", () => {
    const text = JSON.stringify(document);
    const found = [...text.matchAll(/"\$ref":"#\/components\/(\w+)\/(\w+)"/g)];
    expect(found.length).toBeGreaterThan(100);
    const all = document.components as Record<string, Record<string, unknown>>;
    expect(found.filter(([, kind = "", name = ""]) => all[kind]?.[name] === undefined)).toEqual([]);
    expect(text.match(/"\$ref":"(?!#\/components\/)/g)).toBeNull();
  });

  it("builds the same document each time", () => {
    expect(JSON.stringify(buildOpenApi(operationList))).toBe(JSON.stringify(document));
  });
});

/** A JSON Schema validator that is independent of zod and uses the document's own schemas. */
const ajv = new Ajv2020({ strict: false });
addFormats.default(ajv);
ajv.addSchema(document, "document");

/** Returns whether `value` matches the schema at `pointer` in the document. */
function matches(pointer: string[], value: unknown): boolean {
  const fragment = pointer.map((segment) => encodeURIComponent(segment.replaceAll("~", "~0").replaceAll("/", "~1")));
  return ajv.validate({ $ref: `document#/${fragment.join("/")}` }, value) as boolean;
}

const requestSchema = (id: OperationId, path: string, method: string) => {
  const type = id === "identity.continueIdentityMigration" ? "application/x-www-form-urlencoded" : "application/json";
  return ["paths", path, method.toLowerCase(), "requestBody", "content", type, "schema"];
};

describe("the schemas as another validator reads them", () => {
  it.each([
    [{}, true],
    [{ stream_id: "s", sequence: 1 }, true],
    [{ stream_id: null, sequence: null, occurred_at: null }, true],
    [{ stream_id: "s" }, false],
    [{ sequence: 1 }, false],
    [{ stream_id: "😀".repeat(180), sequence: 1 }, true],
    [{ stream_id: "😀".repeat(181), sequence: 1 }, false],
    [{ occurred_at: "2026-07-01T00:00:00" }, false],
    [{ schema_version: 65_536 }, false],
    [{ schema_version: 1.5 }, false],
    [{ data: [] }, false],
    [{ extra: 1 }, false],
  ])("validates a Domain Event with %j: %s", (part, expected) => {
    const event = { type: "order.placed", schema_version: 1, data: {}, ...part };
    expect(matches(requestSchema("events.publishDomainEvent", "/domain-events", "POST"), event)).toBe(expected);
  });

  it("allows additional properties in every response except the closed Project Client", () => {
    const schema = (name: string) => ["components", "schemas", name];
    expect(
      matches(schema("CreatedIdResponse"), { data: { id: "01890a5d-ac96-774b-bcce-b302099a8057", more: 1 } }),
    ).toBe(true);
    const response = schema("ProjectClientResponse");
    const client = { id: "01890a5d-ac96-774b-bcce-b302099a8057", name: "n", environment: "sandbox", scopes: [] };
    expect(matches(response, { data: client })).toBe(true);
    expect(matches(response, { data: { ...client, more: 1 } })).toBe(false);
  });
});

describe.each(operationList.map((operation) => [operation.id, operation] as const))("%s", (id, operation) => {
  const found = described(operation.method, operation.path);

  it("describes the operation under its id", () => {
    expect(found.operationId).toBe(id);
    expect(found.responses).toHaveProperty(String(operation.status));
  });

  it("contains schemas that match the examples", () => {
    const { body } = exampleRequests[id];
    if (body !== null) expect(matches(requestSchema(id, operation.path, operation.method), body)).toBe(true);
    const content = found.responses[operation.status]?.content?.["application/json"];
    expect(content === undefined).toBe(operation.response === null);
    if (content === undefined) return;
    const at = ["paths", operation.path, operation.method.toLowerCase(), "responses", String(operation.status)];
    expect(matches([...at, "content", "application/json", "schema"], content.example)).toBe(true);
  });

  it("declares the required authentication", () => {
    const { auth } = operation;
    expect(found.security).toEqual(
      auth.scheme === "none" ? [] : [{ [auth.scheme]: "scope" in auth ? [auth.scope] : [] }],
    );
    expect(answer(found, 401) === undefined).toBe(auth.scheme === "none");
    expect(answer(found, 429) === undefined).toBe(auth.scheme !== "projectCredential");
  });

  it("declares its headers and path parameters", () => {
    const names = found.parameters.map(({ name, $ref }) => name ?? $ref?.split("/").at(-1));
    const inPath = [...operation.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    const { idempotency, correlationIdDeclared } = operation;
    expect(names).toEqual([
      ...inPath,
      ...(correlationIdDeclared ? ["CorrelationId"] : []),
      ...(idempotency === null ? [] : [idempotency.maxLength === 120 ? "IdempotencyKey" : "LongIdempotencyKey"]),
    ]);
  });

  it("lists every domain error of the record under its status", () => {
    for (const code of operation.errors) {
      const status = operation.errorStatuses?.[code] ?? errorCodes[code].status;
      expect(answer(found, status)?.description, code).toContain(`\`${code}\``);
    }
    expect(answer(found, 503)?.headers).toHaveProperty("Retry-After");
  });
});
