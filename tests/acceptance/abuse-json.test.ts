import { randomUUID } from "node:crypto";
import { exampleRequests } from "@platform/contracts/examples";
import { type NamedOperation, operationList } from "@platform/contracts/operations";
import { beforeAll, describe, expect, test } from "vitest";
import { expectSound } from "./abuse/sound-answer.ts";
import { api, ctl, newClient, type TestClient } from "./stack.ts";
import { bodySchemaOf } from "./walk/body-mutations.ts";
import { credentialFor, type SendOptions, send } from "./walk/operation-request.ts";

let client: TestClient;
let session: string;
beforeAll(async () => {
  const [made, account] = await Promise.all([
    newClient(),
    ctl(["accounts", "create", "--email", `${randomUUID()}@example.com`, "--password", randomUUID(), "--verified"]),
  ]);
  client = made;
  session = (await ctl(["sessions", "create", "--account", account.id])).session;
  await ctl(["quotas", "set", "--client", client.id, "--resource", "api_traffic", "--limit", "1000000"]);
});

const withBody = operationList.filter(({ body, transport }) => body !== null && transport === "call");

async function ask(operation: NamedOperation, rawBody: string, options: SendOptions = {}) {
  const request = { ...exampleRequests[operation.id], session };
  const credential = credentialFor(operation, request, client.credential);
  const reply = await send(operation, request, { credential, rawBody, ...options });
  expectSound(operation, reply);
  return reply;
}

/** Returns the example body as JSON text, with `more` inserted before its first property. */
const beginning = (operation: NamedOperation, more: string): string =>
  JSON.stringify(exampleRequests[operation.id].body).replace("{", `{${more},`);

describe.each(withBody)("$id", (operation) => {
  test("rejects JSON bombs with 422 and a short response", async () => {
    const size = (operation.bodyBytesMax ?? 1024 * 1024) - 1024;
    const bombs = {
      "brackets all the way": "[".repeat(size),
      "braces all the way": '{"a":'.repeat(Math.floor(size / 5)),
      "a hundred thousand arrays side by side": `[${"[],".repeat(100_000)}[]]`,
      "many properties": `{${Array.from({ length: Math.floor(size / 16) }, (_, n) => `"k${n}":1`).join()}}`,
      "a number of a million digits": `{"a":${"9".repeat(size - 16)}}`,
      "a string of a million escapes": `{"a":"${"\\u0000".repeat(Math.floor(size / 6) - 16)}"}`,
      "one long name": `{"${"k".repeat(size - 16)}":1}`,
    };
    for (const [name, bomb] of Object.entries(bombs)) {
      const reply = await ask(operation, bomb);
      expect({ name, status: reply.status }).toEqual({ name, status: 422 });
      expect(reply.json.error.details.violations.length).toBeLessThanOrEqual(50);
      // A violation may repeat the name of a property, but no other part of the request.
      expect(reply.text.length).toBeLessThan(name === "one long name" ? 2 * size + 2_000 : 20_000);
    }
  });

  test("treats names of Object.prototype as plain names (prototype pollution, CWE-1321)", async () => {
    const polluting = [
      '"__proto__":{"polluted":true,"scopes":["clients:read"]}',
      '"constructor":{"prototype":{"polluted":true}}',
      '"prototype":{"polluted":true}',
      '"toString":1',
      '"hasOwnProperty":1',
      '"then":{"then":1}',
      '"toJSON":1',
    ];
    for (const property of polluting) await ask(operation, beginning(operation, property));
    const { json } = await api("POST", "/noop", { body: { money: { currency: "EUR", minor: 1 } }, credential: null });
    expect(Object.keys(json.data)).toEqual(["money", "status"]);
    const own = await api("GET", "/project-client", { credential: client.credential });
    expect(Object.keys(own.json.data)).toEqual(["id", "name", "environment", "scopes"]);
    expect(own.text).not.toContain("polluted");
  });

  test("accepts numbers beyond a double without a 5xx, and keeps them where the caller owns the member", async () => {
    const reply = await ask(operation, beginning(operation, '"open":1e999'));
    if (operation.idempotency !== null) expect(reply.status).toBe(operation.id === "edge.noop" ? 202 : 422);
  });

  test("responds to lone surrogates without a 5xx", async () => {
    for (const property of ['"open":"\\ud800"', '"\\udfff":1', '"open":{"deep":[{"\\ud800":-1e400}]}']) {
      const reply = await ask(operation, beginning(operation, property));
      if (operation.idempotency !== null) expect({ property, status: reply.status }).toEqual({ property, status: 422 });
    }
  });

  test("keeps the last of a property sent twice", async () => {
    const schema = bodySchemaOf(operation);
    const [name = ""] = schema?.required ?? [];
    const reply = await ask(operation, beginning(operation, `"${name}":{"$gt":""}`));
    const violations: { path: string }[] = reply.json.error?.details.violations ?? [];
    expect(violations.filter(({ path }) => path === `/${name}`)).toEqual([]);
    const text = JSON.stringify(exampleRequests[operation.id].body);
    const refused = await ask(operation, `${text.slice(0, -1)},"${name}":null}`);
    expect(refused.json.error.details.violations).toContainEqual(expect.objectContaining({ path: `/${name}` }));
  });
});

describe("the work of a body", () => {
  const publish = (data: string) =>
    api("POST", "/domain-events", {
      credential: client.credential,
      body: `{"type":"abuse.json","schema_version":1,"data":{"list":${data}}}`,
    });
  const besides = 4;

  test("accepts 50,000 array elements and object members, and refuses one more at /", async () => {
    const list = (length: number): string => JSON.stringify(Array(length).fill(0));
    expect((await publish(list(50_000 - besides))).status).toBe(200);
    const { status, json } = await publish(list(50_001 - besides));
    expect([status, json.error.details.violations]).toEqual([
      422,
      [{ path: "/", code: "too_long", message: expect.stringContaining("50000") }],
    ]);
  });

  test("refuses 7,000 times 60 nested arrays, a small body that costs much CPU", async () => {
    const { status, json } = await publish(
      `[${Array(7_000)
        .fill(`${"[".repeat(60)}${"]".repeat(60)}`)
        .join()}]`,
    );
    expect([status, json.error.details.violations[0].path]).toEqual([422, "/"]);
  });
});

describe("JSON that callers own", () => {
  test("returns data exactly, with any names", async () => {
    const data =
      '{"__proto__":{"a":1},"constructor":{"prototype":null},"$set":{"x":1},"a.b":[{"$where":"1"}],"":0,"\\u20ac":"\\ud83d\\ude00","n":-0.5e-7}';
    const rawBody = `{"type":"abuse.json","schema_version":1,"data":${data}}`;
    const publish = { credential: client.credential, body: rawBody, idempotencyKey: randomUUID() };
    for (const _attempt of ["first", "replay"]) {
      const reply = await api("POST", "/domain-events", publish);
      expect(reply.status).toBe(200);
      const sent = /"data":(\{"__proto__".*\}),"stream_id"/.exec(reply.text)?.[1] ?? "";
      expect(JSON.parse(sent, (key, value) => (key === "__proto__" ? { proto: value } : value))).toEqual(
        JSON.parse(data, (key, value) => (key === "__proto__" ? { proto: value } : value)),
      );
      expect(sent).toContain('"__proto__":{"a":1}');
    }
  });
});
