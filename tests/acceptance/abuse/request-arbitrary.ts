import { exampleRequests } from "@platform/contracts/examples";
import { type NamedOperation, operationList } from "@platform/contracts/operations";
import fc from "fast-check";
import { bodySchemaOf, type JsonSchema } from "../walk/body-mutations.ts";
import { formMedia, type OperationRequest, pathOf } from "../walk/operation-request.ts";

/** One generated request, ready to be sent. */
export type FuzzRequest = {
  readonly operation: NamedOperation;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array | null;
};

/** Strings that have broken software before. */
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

const literalUrl = fc
  .tuple(fc.constantFrom("http", "https"), fc.oneof(fc.ipV4Extended(), fc.constant("127.0.0.1:9")), fc.webPath())
  .map(([scheme, host, path]) => `${scheme}://${host}${path}`);

/** Printable ASCII and other characters, except those that end a header. */
const headerText = fc.string({
  unit: fc
    .integer({ min: 0x20, max: 0xff })
    .filter((c) => c !== 0x7f)
    .map((c) => String.fromCharCode(c)),
  maxLength: 130,
});

/** Shared keys, so that some requests use the key of an earlier or concurrent request. */
const sharedKeys = ["fuzz-1", "fuzz-2"];

/** Idempotency keys. Only POST /noop returns 409, so 10,000 requests must repeat keys often enough to cause it. */
const anyKey = fc.oneof(
  { weight: 12, arbitrary: fc.uuid() },
  { weight: 3, arbitrary: fc.constantFrom(...sharedKeys) },
  { weight: 1, arbitrary: fc.constant(null) },
  { weight: 1, arbitrary: headerText },
);

/** Generates a string that `schema` accepts, as far as its keywords show what it accepts. */
function textOf({ pattern, format, enum: values, minLength = 0, maxLength = 60 }: JsonSchema): fc.Arbitrary<string> {
  if (values !== undefined) return fc.constantFrom(...values);
  if (format === "uuid") return fc.uuid();
  if (format === "email") return fc.emailAddress();
  // Most hosts need no DNS look-up, because look-ups take time.
  if (format === "uri") return fc.oneof({ weight: 8, arbitrary: literalUrl }, { weight: 1, arbitrary: fc.webUrl() });
  if (format === "date-time") {
    const from = Date.now();
    return fc.integer({ min: -1_000_000_000, max: 500_000_000 }).map((ms) => new Date(from + ms).toISOString());
  }
  if (pattern?.includes("{64}")) return hex64;
  if (pattern !== undefined) return fc.stringMatching(new RegExp(pattern)).map((text) => text.slice(0, maxLength));
  return fc.string({ unit: "binary", minLength, maxLength: Math.min(maxLength, minLength + 40) });
}

/** Generates values that `schema` accepts in nearly all cases. */
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

/** Copies `value` with a different value at the position `steps`; undefined removes the position. */
function spoilAt(value: unknown, [step, ...steps]: readonly number[], fault: unknown): unknown {
  if (step === undefined || typeof value !== "object" || value === null) return fault;
  if (Array.isArray(value)) {
    const at = step % (value.length + 1);
    return [...value.slice(0, at), spoilAt(value[at], steps, fault), ...value.slice(at + 1)];
  }
  const names = [...Object.keys(value), "extra", "__proto__"];
  const name = names[step % names.length] ?? "";
  const child = Object.getOwnPropertyDescriptor(value, name)?.value;
  // The object has no prototype, so that `__proto__` is an ordinary property.
  return Object.assign(Object.create(null), value, { [name]: spoilAt(child, steps, fault) });
}

/** Generates a body with an arbitrary value at one position. */
function spoiledOf(sound: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  const steps = fc.array(fc.nat({ max: 60 }), { minLength: 1, maxLength: 4 });
  return fc
    .tuple(sound, steps, fc.oneof(anyText, anyJson, fc.constant(undefined)))
    .map(([body, path, fault]) => spoilAt(body, path, fault));
}

function formOf(body: unknown): string {
  const fields = Object.entries(body ?? {}).filter(([, value]) => value !== undefined);
  const texts = fields.map(([name, value]): [string, string] => [
    name,
    typeof value === "string" ? value.toWellFormed() : JSON.stringify(value),
  ]);
  return new URLSearchParams(texts).toString();
}

function bodyOf(operation: NamedOperation, known: OperationRequest | null): fc.Arbitrary<string | Uint8Array | null> {
  const schema = bodySchemaOf(operation);
  if (schema === null) {
    if (operation.rawBody === undefined) return fc.oneof({ weight: 9, arbitrary: fc.constant(null) }, fc.json());
    const anyBytes = fc.uint8Array({ maxLength: 500 });
    return known?.upload === undefined ? anyBytes : fc.oneof(fc.constant(known.upload.bytes), anyBytes);
  }
  const sound = known === null ? validOf(schema) : fc.constant(known.body);
  if (operation.rawBody?.includes(formMedia) === true) return fc.oneof(sound, spoiledOf(sound)).map(formOf);
  return fc.oneof(
    { weight: 4, arbitrary: sound.map((body) => JSON.stringify(body)) },
    { weight: 4, arbitrary: spoiledOf(sound).map((body) => JSON.stringify(body)) },
    { weight: 1, arbitrary: fc.json({ maxDepth: 6 }) },
    { weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: 200 }) },
  );
}

/** Generates a path parameter: the valid value, another value of the same form, or any text. */
function paramOf(example: string, known: string | undefined): fc.Arbitrary<string> {
  const ofItsForm = example.length === 64 ? hex64 : example.includes("-") ? fc.uuid() : fc.constant(example);
  return fc.oneof(
    { weight: 8, arbitrary: known === undefined ? ofItsForm : fc.constant(known) },
    { weight: 1, arbitrary: ofItsForm },
    { weight: 1, arbitrary: anyText.map((text) => text.toWellFormed()) },
  );
}

function paramsOf(operation: NamedOperation, known: OperationRequest | null): fc.Arbitrary<Record<string, string>> {
  const { params } = exampleRequests[operation.id];
  const values = Object.entries(params ?? {}).map(([name, example]): [string, fc.Arbitrary<string>] => [
    name,
    paramOf(example, known?.params?.[name]),
  ]);
  return fc.record(Object.fromEntries(values));
}

const mostly = <T>(usual: fc.Arbitrary<T>, odd: fc.Arbitrary<T>): fc.Arbitrary<T> =>
  fc.oneof({ weight: 12, arbitrary: usual }, { weight: 1, arbitrary: odd });

/**
 * Generates a request of `operation` from a valid request with one change. If there is no valid request, it generates one only from the schema.
 */
function requestOf(
  operation: NamedOperation,
  known: OperationRequest | null,
  credential: string | null,
): fc.Arbitrary<FuzzRequest> {
  const media = known?.upload?.contentType ?? operation.rawBody?.[0] ?? "application/json";
  return fc
    .record({
      params: paramsOf(operation, known),
      body: bodyOf(operation, known),
      key: anyKey,
      authorization: mostly<string | null>(
        fc.constant(known?.session === undefined ? credential : `Bearer ${known.session}`),
        fc.option(headerText.map((text) => `Bearer ${text}`)),
      ),
      contentType: mostly(
        fc.constant(media),
        fc.constantFrom("text/plain", "application/json;charset=utf-8", "a/b", ""),
      ),
      correlationId: mostly<string | null>(fc.constant(null), headerText),
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
}

/** Values used by the generated requests. They decide how far a request gets in the pipeline. */
export type FuzzGround = {
  /** Values of the Authorization header, by scheme. */
  readonly credentials: Readonly<Record<string, string | null>>;
  /** Valid requests of each operation, with ids that exist. */
  readonly known: ReadonlyMap<string, readonly OperationRequest[]>;
};

/** Generates a request of any operation from its record in the operation table. */
export function anyRequest({ credentials, known }: FuzzGround): fc.Arbitrary<FuzzRequest> {
  const ofOperation = (operation: NamedOperation): fc.Arbitrary<FuzzRequest> => {
    const credential = credentials[operation.auth.scheme] ?? null;
    const bases = (known.get(operation.id) ?? []).map((base) => requestOf(operation, base, credential));
    return fc.oneof({ weight: bases.length, arbitrary: requestOf(operation, null, credential) }, ...bases);
  };
  return fc.oneof(...operationList.map(ofOperation));
}
