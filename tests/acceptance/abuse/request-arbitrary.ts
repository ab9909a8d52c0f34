import { exampleRequests } from "@platform/contracts/examples";
import { type NamedOperation, operationList } from "@platform/contracts/operations";
import fc from "fast-check";
import { bodySchemaOf, type JsonSchema } from "../walk/body-mutations.ts";
import { formMedia, pathOf } from "../walk/operation-request.ts";

/** One generated request, ready to be written. */
export type FuzzRequest = {
  readonly operation: NamedOperation;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
};

/** Strings that have broken something somewhere. */
const nasty = [
  "", " ", "\0", "\ud800", "\u202e", "\ufeff", "\u{1f600}", "null", "undefined", "NaN", "true", "-1", "1e999", "__proto__", "constructor",
  "$where", '{"$gt":""}', "a.b", "../", "..%2f", "%00", "%0d%0aX: y", "'; DROP TABLE", "<script>", "{{7*7}}", "{% raw %}", "file:///etc/passwd",
  "http://169.254.169.254/", "http://[::1]:1/", "https://user:pass@example.com/", "a@b@c", "\"@example.com", "9".repeat(400), "x".repeat(5_001),
]; // biome-ignore format: a list

const anyText = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...nasty) },
  { weight: 2, arbitrary: fc.string({ unit: "binary", maxLength: 60 }) },
  { weight: 1, arbitrary: fc.string({ maxLength: 300 }) },
);
const anyJson = fc.jsonValue({ maxDepth: 4, stringUnit: "binary" });
const hexDigit = fc.constantFrom(..."0123456789abcdef");
const hex64 = fc.string({ unit: hexDigit, minLength: 64, maxLength: 64 });

/** A string that `schema` accepts, where that can be told from it. */
function textOf({ pattern, format, enum: values, minLength = 0, maxLength = 60 }: JsonSchema): fc.Arbitrary<string> {
  if (values !== undefined) return fc.constantFrom(...values);
  if (format === "uuid") return fc.uuid();
  if (format === "email") return fc.emailAddress();
  if (format === "uri") return fc.webUrl();
  if (format === "date-time") {
    const from = Date.now();
    return fc.integer({ min: -1_000_000_000, max: 500_000_000 }).map((ms) => new Date(from + ms).toISOString());
  }
  if (pattern?.includes("{64}")) return hex64;
  if (pattern !== undefined) return fc.stringMatching(new RegExp(pattern)).map((text) => text.slice(0, maxLength));
  return fc.string({ unit: "binary", minLength, maxLength: Math.min(maxLength, minLength + 40) });
}

/** Values that `schema` accepts, nearly always. */
function validOf(schema: JsonSchema): fc.Arbitrary<unknown> {
  if (schema.anyOf !== undefined && schema.type === undefined) return fc.oneof(...schema.anyOf.map(validOf));
  switch (schema.type) {
    case "object": {
      if (schema.properties === undefined) return fc.dictionary(fc.string({ maxLength: 20 }), anyJson, { maxKeys: 5 });
      const fields = Object.fromEntries(Object.entries(schema.properties).map(([name, at]) => [name, validOf(at)]));
      return fc.record(fields, { requiredKeys: [...(schema.required ?? [])] });
    }
    case "array":
      return fc.array(validOf(schema.items ?? {}), { minLength: 1, maxLength: 3 });
    case "string":
      return textOf(schema);
    case "integer": {
      const { minimum: min = -1_000, maximum: max = 1_000 } = schema;
      return fc.oneof(
        fc.constantFrom(min, max),
        fc.maxSafeInteger().map((n) => Math.min(max, Math.max(min, n))),
      );
    }
    case "number":
      return fc.double({ noNaN: true, noDefaultInfinity: true });
    case "boolean":
      return fc.boolean();
    case "null":
      return fc.constant(null);
    default:
      return anyJson;
  }
}

/** A valid body with one of its values replaced by anything. */
function spoiledOf(schema: JsonSchema): fc.Arbitrary<unknown> {
  const names = Object.keys(schema.properties ?? {});
  return fc
    .tuple(validOf(schema), fc.constantFrom(...names, "extra", "__proto__"), fc.oneof(anyText, anyJson))
    .map(([body, name, value]) => Object.assign(Object.create(null), body, { [name]: value }));
}

function bodyOf(operation: NamedOperation): fc.Arbitrary<string | null> {
  const schema = bodySchemaOf(operation);
  if (schema === null) {
    return operation.rawBody === undefined
      ? fc.oneof({ weight: 9, arbitrary: fc.constant(null) }, fc.json())
      : fc.string({ unit: "binary", maxLength: 500 });
  }
  if (operation.rawBody?.includes(formMedia) === true) {
    const form = fc.oneof(validOf(schema), spoiledOf(schema));
    return form.map((body) => {
      const fields = Object.entries(body as object).map(([name, value]): [string, string] => [
        name,
        `${JSON.stringify(value)}`,
      ]);
      return new URLSearchParams(fields).toString();
    });
  }
  return fc.oneof(
    { weight: 4, arbitrary: validOf(schema).map((body) => JSON.stringify(body)) },
    { weight: 4, arbitrary: spoiledOf(schema).map((body) => JSON.stringify(body)) },
    { weight: 1, arbitrary: fc.json({ maxDepth: 6 }) },
    { weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: 200 }) },
  );
}

function paramsOf(operation: NamedOperation): fc.Arbitrary<Record<string, string>> {
  const { params } = exampleRequests[operation.id];
  const values = Object.entries(params ?? {}).map(([name, example]): [string, fc.Arbitrary<string>] => [
    name,
    fc.oneof(
      {
        weight: 4,
        arbitrary: example.length === 64 ? hex64 : example.includes("-") ? fc.uuid() : fc.constant(example),
      },
      { weight: 1, arbitrary: anyText.map((text) => text.toWellFormed()) },
    ),
  ]);
  return fc.record(Object.fromEntries(values));
}

/** Printable ASCII and what lies beyond, but nothing that ends a header. */
const headerText = fc.string({
  unit: fc
    .integer({ min: 0x20, max: 0xff })
    .filter((c) => c !== 0x7f)
    .map((c) => String.fromCharCode(c)),
  maxLength: 130,
});

/** A request of any operation, made from its record. `credentials` by scheme are presented, or, now and then, nonsense. */
export function anyRequest(credentials: Readonly<Record<string, string | null>>): fc.Arbitrary<FuzzRequest> {
  const ofOperation = (operation: NamedOperation): fc.Arbitrary<FuzzRequest> => {
    const media = operation.rawBody?.[0] ?? "application/json";
    const mostly = <T>(usual: fc.Arbitrary<T>, odd: fc.Arbitrary<T>) =>
      fc.oneof({ weight: 12, arbitrary: usual }, { weight: 1, arbitrary: odd });
    return fc
      .record({
        params: paramsOf(operation),
        body: bodyOf(operation),
        key: mostly(
          fc.uuid().map((id): string | null => id),
          fc.option(headerText),
        ),
        authorization: mostly(
          fc.constant(credentials[operation.auth.scheme] ?? null),
          fc.option(headerText.map((text) => `Bearer ${text}`)),
        ),
        contentType: mostly(
          fc.constant(media),
          fc.constantFrom("text/plain", "application/json;charset=utf-8", "a/b", ""),
        ),
        correlationId: mostly(fc.constant<string | null>(null), headerText),
        query: mostly(
          fc.constant(""),
          fc.webQueryParameters().map((text) => `?${text}`),
        ),
      })
      .map(({ params, body, key, authorization, contentType, correlationId, query }) => {
        const sent = { authorization, "idempotency-key": key, "x-correlation-id": correlationId };
        const headers = Object.entries({ ...sent, ...(body === null ? {} : { "content-type": contentType }) });
        return {
          operation,
          path: `/api/v1${pathOf(operation, params)}${query}`,
          headers: Object.fromEntries(headers.filter((entry): entry is [string, string] => entry[1] !== null)),
          body,
        };
      });
  };
  return fc.oneof(...operationList.map(ofOperation));
}
