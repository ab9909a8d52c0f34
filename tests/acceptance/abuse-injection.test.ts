import { randomUUID } from "node:crypto";
import { exampleRequests } from "@platform/contracts/examples";
import { type NamedOperation, operationList } from "@platform/contracts/operations";
import { beforeAll, describe, expect, test } from "vitest";
import { expectSound } from "./abuse/sound-answer.ts";
import { type ApiReply, ctl } from "./stack.ts";
import { bodySchemaOf, stringPlacesOf } from "./walk/body-mutations.ts";
import { credentialFor, formMedia, type OperationRequest, type SendOptions, send } from "./walk/operation-request.ts";
import { newProject, type Project } from "./walk/project.ts";
import { workingRequests } from "./walk/working-requests.ts";

let project: Project;
let session: string;
beforeAll(async () => {
  const [made, account] = await Promise.all([
    newProject(),
    ctl(["accounts", "create", "--email", `${randomUUID()}@example.com`, "--password", randomUUID(), "--verified"]),
  ]);
  project = made;
  session = (await ctl(["sessions", "create", "--account", account.id])).session;
  await ctl(["quotas", "set", "--client", project.client.id, "--resource", "api_traffic", "--limit", "1000000"]);
});

/** Database operators that are sent instead of a string. */
const operators = [{ $gt: "" }, { $ne: null }, { $regex: ".*" }, { $where: "1" }, { $in: [""] }, ["$or"], { "": 0 }];

/**
 * Texts that an interpreter would execute: the database, JavaScript, Redis, a file path, a header or a template engine.
 */
const texts = [
  ...["$where", '{"$gt":""}', "$$ROOT", "'; return true; //", "*", "}{:quota:", "../../etc/passwd", "..%2f..%2f"],
  ...["a\r\nX-Injected: 1", "#{7*7}", "{{7*7}}", "{% include 'x' %}", "=cmd|' /C calc'!A0", "%s%n", "\u2028"],
];

const exampleOf = (operation: NamedOperation): OperationRequest => ({ ...exampleRequests[operation.id], session });

async function ask(operation: NamedOperation, request: OperationRequest, options: SendOptions = {}): Promise<ApiReply> {
  const credential = credentialFor(operation, request, project.client.credential);
  const reply = await send(operation, request, { credential, ...options });
  expectSound(operation, reply, `${options.rawBody}${JSON.stringify(request.params)}`);
  expect(reply.headers.get("x-injected")).toBeNull();
  return reply;
}

/** Returns the relevant parts of a response, without those that differ on every request. */
const verdictOf = ({ status, json }: ApiReply) => ({ status, code: json?.error?.code ?? null });

/** Returns the response to an example request that is sent twice. The second response is compared, because some requests succeed only once. */
async function usualVerdict(operation: NamedOperation) {
  await ask(operation, exampleOf(operation));
  return verdictOf(await ask(operation, exampleOf(operation)));
}

const stringsOf = (operation: NamedOperation) =>
  stringPlacesOf(bodySchemaOf(operation) ?? {}, exampleOf(operation).body);
const jsonOperations = operationList.filter(
  (operation) => operation.transport === "call" && stringsOf(operation).length > 0,
);
const formOperations = operationList.filter(({ rawBody }) => rawBody?.includes(formMedia) === true);

describe.each(jsonOperations)("$id, strings of the body", (operation) => {
  test("rejects an operator in place of a string, and stores it as plain text within a string", async () => {
    for (const { path, replace } of stringsOf(operation)) {
      const refused = await Promise.all(
        operators.map((value) => ask(operation, exampleOf(operation), { rawBody: JSON.stringify(replace(value)) })),
      );
      const told = refused.map(({ status, json }) => [status, json.error?.details.violations?.[0]?.path]);
      expect({ path, told }).toEqual({ path, told: operators.map(() => [422, path]) });
      await Promise.all(
        texts.map((text) => ask(operation, exampleOf(operation), { rawBody: JSON.stringify(replace(text)) })),
      );
    }
  });
});

describe.each(formOperations)("$id, strings of the form", (operation) => {
  const fields = exampleRequests[operation.id].body ?? {};
  const fieldOf = (name: string, value: string) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`;
  const rest = (name: string) =>
    Object.entries(fields)
      .filter(([other]) => other !== name)
      .map(([other, value]) => fieldOf(other, String(value)));

  test.each(Object.entries(fields))("ignores %s as an operator, as a list or as text", async (name, value) => {
    const valid = String(value);
    const forms = [
      ...[`${name}[$gt]`, `${name}[$ne]`, `${name}[]`, `${name}.$gt`, "__proto__[x]"].map((field) => [
        fieldOf(field, valid),
      ]),
      [fieldOf(name, valid), fieldOf(name, "{}")],
      ...texts.map((text) => [fieldOf(name, text)]),
    ];
    const replies = await Promise.all(
      forms.map((form) => ask(operation, exampleOf(operation), { rawBody: [...rest(name), ...form].join("&") })),
    );
    expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 422));
    expect(replies.flatMap(({ headers }) => headers.getSetCookie())).toEqual([]);
  });
});

describe.each(operationList.filter(({ params }) => params !== null))("$id, strings of the path", (operation) => {
  const { params } = exampleRequests[operation.id];

  test.each(Object.keys(params ?? {}))("refuses %s as an operator or as text", async (name) => {
    const values = [...operators.map((value) => JSON.stringify(value)), ...texts];
    const replies = await Promise.all(
      values.map((value) => ask(operation, { ...exampleOf(operation), params: { ...params, [name]: value } })),
    );
    const told = replies.map(({ status, json }) => [status, json.error.details.violations[0].path]);
    expect(told).toEqual(values.map(() => [422, `path:${name}`]));
  });
});

describe.each(operationList)("$id, around the body", (operation) => {
  test("ignores operators in the query string", async () => {
    const names = [
      ...Object.keys(exampleRequests[operation.id].params ?? {}),
      ...Object.keys(exampleRequests[operation.id].body ?? {}),
    ];
    const queries = ["id", "project_client_id", "scopes", ...names].flatMap((name) => [
      `${name}[$ne]=`,
      `${name}={"$gt":""}`,
    ]);
    const usual = await usualVerdict(operation);
    const replies = await Promise.all(
      [...queries, "__proto__[a]=1", "constructor[prototype][a]=1"].map((query) =>
        ask({ ...operation, path: `${operation.path}?${query}` }, exampleOf(operation)),
      ),
    );
    expect(replies.map(verdictOf)).toEqual(replies.map(() => usual));
  });

  test("ignores headers that name another path, method, caller or error", async () => {
    const usual = await usualVerdict(operation);
    const spoofs: Record<string, string>[] = [
      { "x-project-client-id": randomUUID(), "x-platform-scopes": "clients:read", "x-platform-error": "e30=" },
      { "x-forwarded-for": '127.0.0.1, {"$gt":""}', "x-real-ip": "127.0.0.1", forwarded: "for=127.0.0.1" },
      { "x-http-method-override": "DELETE", "x-original-url": "/api/v1/health", "x-rewrite-url": "/" },
      { traceparent: '{"$gt":""}', tracestate: "a=b", baggage: "project_client_id=x" },
      { cookie: '__Host-platform_session={"$gt":""}; platform_session[$ne]=x', "accept-language": '{"$gt":""}' },
    ];
    const replies = await Promise.all(spoofs.map((headers) => ask(operation, exampleOf(operation), { headers })));
    expect(replies.map(verdictOf)).toEqual(replies.map(() => usual));
  });

  test("never echoes an operator sent as X-Correlation-ID", async () => {
    const reply = await ask(operation, exampleOf(operation), { headers: { "x-correlation-id": '{"$gt":""}' } });
    expect(reply.headers.get("x-correlation-id")).toMatch(/^[0-9a-f-]{36}$/);
  });
});

describe.each(operationList.filter(({ idempotency }) => idempotency !== null))("$id, Idempotency-Key", (operation) => {
  test("treats an operator or pattern as an ordinary key", async () => {
    const own = randomUUID();
    const keys = [own, `{"$ne":"${own}"}`, `{"$regex":"^${own}"}`, "*", `${own.slice(0, 8)}*`, `${own}\\`, `}${own}:{`];
    for (const idempotencyKey of keys) {
      // An earlier noop may have used the key `*`.
      if (idempotencyKey === "*" && operation.auth.scheme === "none") continue;
      const reply = await ask(operation, await workingRequests[operation.id](project), { idempotencyKey });
      expect({ idempotencyKey, status: reply.status, text: reply.text }).toMatchObject({
        idempotencyKey,
        status: operation.status,
      });
      expect(reply.headers.get("idempotency-replayed")).toBeNull();
    }
  });
});
