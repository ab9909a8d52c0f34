import { errorCodes } from "@platform/contracts/errors";
import { operationList } from "@platform/contracts/operations";
import { Validator } from "@seriousme/openapi-schema-validator";
import { describe, expect, it } from "vitest";
import { buildOpenApi } from "./build-openapi.ts";

type Parameter = { $ref?: string; name?: string; in?: string };
type Response = { $ref?: string; description: string; headers: Record<string, unknown> };
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

/** The answer of `operation` with `status`, behind its reference. */
function answer(operation: Described, status: number): Response | undefined {
  const response = operation.responses[status];
  const name = response?.$ref?.replace("#/components/responses/", "");
  return name === undefined ? response : components.responses[name];
}

describe("the OpenAPI document", () => {
  it("is valid OpenAPI 3.1", async () => {
    const result = await new Validator().validate(structuredClone(document) as never);
    expect(result.errors ?? []).toEqual([]);
    expect(result.valid).toBe(true);
  });

  it("refers only to components it has", () => {
    const text = JSON.stringify(document);
    const found = [...text.matchAll(/"\$ref":"#\/components\/(\w+)\/(\w+)"/g)];
    expect(found.length).toBeGreaterThan(100);
    const all = document.components as Record<string, Record<string, unknown>>;
    expect(found.filter(([, kind = "", name = ""]) => all[kind]?.[name] === undefined)).toEqual([]);
    expect(text.match(/"\$ref":"(?!#\/components\/)/g)).toBeNull();
  });

  it("is the same each time it is built", () => {
    expect(JSON.stringify(buildOpenApi(operationList))).toBe(JSON.stringify(document));
  });
});

describe.each(operationList.map((operation) => [operation.id, operation] as const))("%s", (id, operation) => {
  const found = described(operation.method, operation.path);

  it("is described under its id", () => {
    expect(found.operationId).toBe(id);
    expect(found.responses).toHaveProperty(String(operation.status));
  });

  it("declares who may call it", () => {
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
      ...(idempotency === null ? [] : [`IdempotencyKey${idempotency.maxLength}`]),
    ]);
  });

  it("names every domain error of its record under the status it is answered with", () => {
    for (const code of operation.errors) {
      const status = operation.errorStatuses?.[code] ?? errorCodes[code].status;
      expect(answer(found, status)?.description, code).toContain(`\`${code}\``);
    }
    expect(answer(found, 503)?.headers).toHaveProperty("Retry-After");
  });
});
