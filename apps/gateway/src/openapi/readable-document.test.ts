import { answerableErrors } from "@platform/contracts/answerable-errors";
import { errorCodes } from "@platform/contracts/errors";
import { operationList } from "@platform/contracts/operations";
import { platformEvents } from "@platform/contracts/platform-events";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { describe, expect, it } from "vitest";
import { buildOpenApi } from "./build-openapi.ts";

// These tests check what readers and code generators need from the description of any operation.
const document = JSON.parse(JSON.stringify(buildOpenApi(operationList)));
const { schemas, responses, examples } = document.components;

type Place = { readonly at: string; readonly schema: any };

/** Returns every schema of the document with its pointer. */
function everySchema(): Place[] {
  const found: Place[] = [];
  const lookInto = (at: string, value: any): void => {
    if (typeof value !== "object" || value === null) return;
    for (const [key, inside] of Object.entries<any>(value)) {
      if (key === "example" || key === "examples" || key === "default") continue;
      const place = `${at}/${key}`;
      if (key === "schema" || key === "items" || key === "additionalProperties")
        found.push({ at: place, schema: inside });
      if (key === "properties" || (key === "schemas" && at === "/components")) {
        for (const [name, schema] of Object.entries(inside)) found.push({ at: `${place}/${name}`, schema });
      }
      lookInto(place, inside);
    }
  };
  lookInto("", document);
  return found.filter(({ schema }) => typeof schema === "object");
}

const all = everySchema();

const resolved = (value: any): any => {
  if (value?.$ref === undefined) return value;
  return value.$ref
    .slice(2)
    .split("/")
    .reduce((inside: any, key: string) => inside[key], document);
};

const operations = Object.entries<any>({ ...document.paths, ...document.webhooks }).flatMap(([path, methods]) =>
  Object.entries<any>(methods).map(([method, operation]) => ({ name: `${method} ${path}`, ...operation })),
);

describe("the OpenAPI document for readers", () => {
  it("describes every property", () => {
    const properties = all.filter(({ at }) => /\/properties\/[^/]+$/.test(at));
    expect(properties.length).toBeGreaterThan(150);
    const isWrapper = (at: string) => /^\/components\/schemas\/\w+Response\/properties\/(data|meta)$/.test(at);
    const bare = properties.filter(({ at, schema }) => !isWrapper(at) && !resolved(schema).description);
    expect(bare.map(({ at }) => at)).toEqual([]);
  });

  it("describes and exemplifies every parameter", () => {
    const parameters = operations.flatMap(({ name, parameters }) =>
      parameters.map((parameter: any) => ({ at: name, ...resolved(parameter) })),
    );
    expect(parameters.length).toBeGreaterThan(50);
    const bare = parameters.filter(({ description, example }) => !description || !example);
    expect(bare.map(({ at, name }) => `${at} ${name}`)).toEqual([]);
  });

  it("describes every operation", () => {
    expect(operations.filter(({ summary }) => !summary).map(({ name }) => name)).toEqual([]);
  });

  it("describes and exemplifies every error of every operation", () => {
    for (const operation of operationList) {
      const { responses } = document.paths[operation.path][operation.method.toLowerCase()];
      const answers = Object.values(responses).map(resolved);
      for (const code of answerableErrors(operation)) {
        const answer = answers.find((one) => one["x-error-codes"]?.includes(code));
        expect(answer?.description, `${operation.id} ${code}`).toContain(`\`${code}\`: ${errorCodes[code].meaning}`);
        if (operation.response === null) continue;
        const { example } = { example: answer.content["application/json"].examples[code] };
        expect(resolved(example).value.error.code, `${operation.id} ${code}`).toBe(code);
      }
    }
  });

  it("contains error examples that match their schemas", () => {
    const ajv = new Ajv2020({ strict: false });
    addFormats.default(ajv);
    ajv.addSchema(document, "document");
    const inUse = [...Object.values<any>(responses), ...operations.flatMap((one) => Object.values<any>(one.responses))]
      .map((response) => response.content?.["application/json"])
      .filter((media) => media?.examples !== undefined);
    expect(inUse.length).toBeGreaterThan(20);
    for (const { schema, examples } of inUse) {
      for (const [code, example] of Object.entries(examples)) {
        expect(ajv.validate({ $ref: `document${schema.$ref}` }, resolved(example).value), code).toBe(true);
      }
    }
    expect(Object.keys(examples).sort()).toEqual(Object.keys(errorCodes).sort());
  });

  it("contains webhook examples that match their schemas", () => {
    const ajv = new Ajv2020({ strict: false });
    addFormats.default(ajv);
    ajv.addSchema(document, "document");
    expect(Object.keys(document.webhooks)).toEqual(["scheduledCall", "domainEvent"]);
    for (const [name, { post }] of Object.entries<any>(document.webhooks)) {
      const [[type, { examples }]] = Object.entries<any>(post.requestBody.content) as [[string, any]];
      const media = encodeURIComponent(type.replaceAll("/", "~1"));
      const pointer = `document#/webhooks/${name}/post/requestBody/content/${media}/schema`;
      for (const [of, { summary, value }] of Object.entries<any>(examples)) {
        expect(summary, of).toBeTruthy();
        expect(ajv.validate({ $ref: pointer }, value), `${of}: ${ajv.errorsText()}`).toBe(true);
      }
      expect(post.parameters.map(({ name }: any) => name)).toEqual([
        "webhook-id",
        "webhook-timestamp",
        "webhook-signature",
      ]);
    }
  });
});

describe("platform events", () => {
  const { examples } = document.webhooks.domainEvent.post.requestBody.content["application/cloudevents+json"];

  it("contains an example of each platform event, whose source distinguishes it from a project's own", () => {
    for (const [type, { when, data }] of Object.entries(platformEvents)) {
      const { summary, value } = examples[type];
      expect([summary, value.type, value.data]).toEqual([when, type, data]);
      expect(value.source).toMatch(/^\/platform\/project-clients\//);
    }
    expect(Object.keys(examples).filter((type) => type.startsWith("platform."))).toEqual(Object.keys(platformEvents));
  });
});

describe("the OpenAPI document for code generators", () => {
  it("contains at most 200 named types, whose names are not distinguished by a number", () => {
    const names = [schemas, responses, document.components.parameters].flatMap(Object.keys);
    expect(names.length).toBeLessThanOrEqual(200);
    expect(names.filter((name) => /\d$/.test(name))).toEqual([]);
  });

  it("uses only named types and null in a union", () => {
    const unions = all.filter(({ schema }) => schema.anyOf !== undefined || schema.oneOf !== undefined);
    expect(unions.length).toBeGreaterThan(0);
    expect(unions.filter(({ schema }) => schema.anyOf !== undefined || schema.allOf !== undefined)).toEqual([]);
    for (const { at, schema } of unions) {
      const isNamed = schema.oneOf.every((one: any) => one.$ref !== undefined || one.type === "null");
      expect(isNamed, at).toBe(true);
      const named = schema.oneOf.filter((one: any) => one.$ref !== undefined);
      if (named.length > 1) expect(at).toMatch(/^\/components\/schemas\/\w+$/);
    }
  });

  it("names every object with properties", () => {
    const objects = all.filter(({ at, schema }) => schema.properties !== undefined && !at.startsWith("/webhooks/"));
    expect(objects.map(({ at }) => at).filter((at) => !/^\/components\/schemas\/\w+$/.test(at))).toEqual([]);
  });

  it("names every enumeration of more than one value, so that a nullable one also has a name", () => {
    const enums = all.filter(({ at, schema }) => schema.enum?.length > 1 && !/^\/components\/schemas\/\w+$/.test(at));
    expect(enums.map(({ at }) => at)).toEqual([]);
  });

  it("uses no const", () => {
    expect(all.filter(({ schema }) => Object.hasOwn(schema, "const")).map(({ at }) => at)).toEqual([]);
  });

  it("refers for each error response to one of the three envelopes", () => {
    const bodies = [...Object.values<any>(responses), ...operations.flatMap((one) => Object.values<any>(one.responses))]
      .filter((response) => response["x-error-codes"] !== undefined)
      .flatMap((response) =>
        response.content["application/json"] ? [response.content["application/json"].schema] : [],
      );
    expect(bodies.length).toBeGreaterThan(20);
    const envelopes = ["Error", "UnprocessableError", "QuotaError"].map((name) => ({
      $ref: `#/components/schemas/${name}`,
    }));
    for (const body of bodies) expect(envelopes).toContainEqual(body);
  });

  it("declares an upload as bytes under each of its media types", () => {
    const { content } = document.paths["/file-uploads/{uploadToken}"].put.requestBody;
    expect(Object.keys(content).length).toBe(6);
    for (const { schema } of Object.values<any>(content)) expect(schema).toEqual({ type: "string", format: "binary" });
  });

  it("requires stream_id and sequence together without a union", () => {
    expect(schemas.PublishDomainEventRequest).toMatchObject({
      type: "object",
      dependentRequired: { stream_id: ["sequence"], sequence: ["stream_id"] },
    });
  });

  it("gives integers beyond 32 bits their format", () => {
    expect(schemas.Money.properties.minor.format).toBe("int64");
    expect(schemas.CreateUploadGrantRequest.properties.maximum_bytes.format).toBeUndefined();
  });
});

it("describes every tag of its operations, so that documentation shows a heading for each", () => {
  const operations: { tags?: string[] }[] = Object.values<any>(document.paths).flatMap((path) => Object.values(path));
  const described = document.tags.map((tag: { name: string }) => tag.name);
  const missing = [...new Set(operations.flatMap(({ tags = [] }) => tags))].filter((tag) => !described.includes(tag));
  expect(missing, "describe them in `tags` of document-parts.ts").toEqual([]);
});
