import { randomUUID } from "node:crypto";
import { exampleRequests } from "@platform/contracts/examples";
import { type NamedOperation, operationList } from "@platform/contracts/operations";
import { beforeAll, describe, expect, test } from "vitest";
import { type ApiReply, ctl } from "./stack.ts";
import { bodySchemaOf, mutationsOf } from "./walk/body-mutations.ts";
import { credentialFor, type OperationRequest, type SendOptions, send } from "./walk/operation-request.ts";
import { sharedProject } from "./walk/shared-project.ts";

let credential: string;
let session: string;
beforeAll(async () => {
  const [{ client }, account] = await Promise.all([
    sharedProject(),
    ctl(["accounts", "create", "--email", `${randomUUID()}@example.com`, "--password", randomUUID(), "--verified"]),
  ]);
  credential = client.credential;
  session = (await ctl(["sessions", "create", "--account", account.id])).session;
});

const exampleOf = (operation: NamedOperation): OperationRequest => ({ ...exampleRequests[operation.id], session });

/** Sends the operation's example request with a valid credential, changed by `change` and `options`. */
function ask(operation: NamedOperation, change: Partial<OperationRequest>, options: SendOptions = {}) {
  const request = { ...exampleOf(operation), ...change };
  return send(operation, request, { credential: credentialFor(operation, request, credential), ...options });
}

/** Returns the paths and codes of the violations in a 422 response, and any other response unchanged. */
function violationsOf(reply: ApiReply): readonly { path: string; code: string }[] | string {
  const violations = reply.json?.error?.details?.violations;
  return reply.status === 422 && reply.json?.error?.code === "contract_violation" && Array.isArray(violations)
    ? violations.map(({ path, code }: { path: string; code: string }) => ({ path, code }))
    : `${reply.status} ${reply.text.slice(0, 300)}`;
}

const called = operationList.filter(({ transport }) => transport === "call");
const withBody = called.filter(({ body }) => body !== null);

describe.each(withBody)("$id, body", (operation) => {
  test("returns 422 for every violated rule, and names its path", async () => {
    const schema = bodySchemaOf(operation);
    if (schema === null) throw new Error("the operation has a body");
    const mutations = mutationsOf(schema, exampleOf(operation).body);
    expect(mutations.length).toBeGreaterThan(5);
    const unnamed = await Promise.all(
      mutations.map(async ({ name, body, path, codes }) => {
        const told = violationsOf(await ask(operation, {}, { rawBody: JSON.stringify(body) }));
        const isNamed = typeof told !== "string" && told.some((one) => one.path === path && codes.includes(one.code));
        return isNamed ? [] : [{ name, told }];
      }),
    );
    expect(unnamed.flat()).toEqual([]);
  });

  test("names every missing property in one response", async () => {
    const told = violationsOf(await ask(operation, { body: {} }));
    const required = bodySchemaOf(operation)?.required ?? [];
    expect(told).toEqual(required.map((name) => ({ path: `/${name}`, code: "required" })));
  });

  test("rejects a missing body and one that is not an object, not JSON, not UTF-8 or nested too deeply at its root", async () => {
    const deep = `${"[".repeat(65)}${"]".repeat(65)}`;
    const texts = ['{"a":', "null", "[]", '"text"', "7", "", "{}{}", "{'a':1}", "\ufeff{}", deep];
    const answers = await Promise.all(
      texts.map(async (rawBody) => violationsOf(await ask(operation, {}, { rawBody }))),
    );
    expect(answers).toEqual(texts.map(() => [{ path: "/", code: expect.any(String) }]));
    const notUtf8 = { upload: { bytes: Buffer.from([0x7b, 0xff, 0x7d]), contentType: "application/json" } };
    expect(violationsOf(await ask(operation, notUtf8))).toEqual([{ path: "/", code: "invalid_format" }]);
  });

  test("refuses another media type, another charset and a compressed body with 415", async () => {
    const answers = await Promise.all(
      [
        { "content-type": "text/plain" },
        { "content-type": "application/x-www-form-urlencoded" },
        { "content-type": "application/json; charset=utf-16" },
        { "content-type": "application/jsonp" },
        { "content-type": "application/json, text/plain" },
        { "content-encoding": "gzip" },
      ].map(async (headers) => {
        const { status, json } = await ask(operation, {}, { headers: headers as unknown as Record<string, string> });
        return [status, json.error.code];
      }),
    );
    expect(answers).toEqual(answers.map(() => [415, "unsupported_media_type"]));
  });

  test("accepts a body of exactly the limit, and refuses one byte more with 413", async () => {
    const bytesMax = operation.bodyBytesMax ?? 1024 * 1024;
    const text = JSON.stringify(exampleOf(operation).body);
    const larger = await ask(operation, {}, { rawBody: text.padEnd(bytesMax + 1, " ") });
    expect([larger.status, larger.json.error.code]).toEqual([413, "payload_too_large"]);
    expect((await ask(operation, {}, { rawBody: text.padEnd(bytesMax, " ") })).status).not.toBe(413);
  });
});

describe.each(called.filter(({ idempotency }) => idempotency !== null))("$id, Idempotency-Key", (operation) => {
  const longest = operation.idempotency?.maxLength ?? 0;

  test("refuses a missing, empty, too long or malformed key at the header", async () => {
    const at = (code: string) => [{ path: "header:Idempotency-Key", code }];
    const told = await Promise.all(
      [null, "", "k".repeat(longest + 1), "two words", "k\u00e9y"].map(async (idempotencyKey) =>
        violationsOf(await ask(operation, {}, { idempotencyKey })),
      ),
    );
    expect(told).toEqual([at("required"), at("too_short"), at("too_long"), at("invalid_format"), at("invalid_format")]);
  });
});

describe.each(withBody.filter(({ idempotency }) => idempotency !== null))(
  "$id, Idempotency-Key and body",
  (operation) => {
    test("names the header together with the violations of the body", async () => {
      const told = violationsOf(await ask(operation, { body: {} }, { idempotencyKey: null }));
      expect(told).toContainEqual({ path: "header:Idempotency-Key", code: "required" });
      expect(told.length).toBeGreaterThan(1);
    });
  },
);

describe.each(operationList.filter(({ params }) => params !== null))("$id, path", (operation) => {
  const names = [...operation.path.matchAll(/\{([^}]+)\}/g)].map(([, name]) => name ?? "");

  test.each(names)("rejects a malformed %s with 422 and names the field", async (name) => {
    const { params } = exampleOf(operation);
    const malformed = ["x y", "%00", "..", "A".repeat(300), `${params?.[name]}'`, '{"$gt":""}', "-null", "\u0131"];
    const told = await Promise.all(
      malformed.map(async (value) => violationsOf(await ask(operation, { params: { ...params, [name]: value } }))),
    );
    // URL parsers resolve `..`, so the request may reach another path or none.
    const expected = malformed.map((value) =>
      value === ".." ? expect.anything() : [{ path: `path:${name}`, code: expect.any(String) }],
    );
    expect(told).toEqual(expected);
  });
});

describe.each(operationList)("$id, around it", (operation) => {
  test("refuses a malformed X-Correlation-ID where the contract declares it, and replaces it elsewhere", async () => {
    const reply = await ask(operation, {}, { headers: { "x-correlation-id": "not-a-uuid" } });
    const isRefused = JSON.stringify(violationsOf(reply)).includes("header:X-Correlation-ID");
    expect(isRefused).toBe(operation.correlationIdDeclared);
    expect(reply.headers.get("x-correlation-id")).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-/);
  });

  test("rejects another method with 405 and the allowed methods, and a longer path with 404", async () => {
    const [other, longer] = await Promise.all([
      send({ ...operation, method: "PATCH" as "POST" }, exampleOf(operation)),
      send({ ...operation, path: `${operation.path}/more/more/more/more` }, exampleOf(operation)),
    ]);
    expect([other.status, other.json.error.code]).toEqual([405, "method_not_allowed"]);
    expect(other.headers.get("allow")?.split(", ")).toContain(operation.method);
    expect(longer.status).toBe(404);
  });
});
