import { randomUUID } from "node:crypto";
import { type NamedOperation, operationList } from "@platform/contracts/operations";
import { beforeAll, describe, expect, test } from "vitest";
import type { ApiReply } from "./stack.ts";
import { credentialFor, type OperationRequest, send } from "./walk/operation-request.ts";
import type { Project } from "./walk/project.ts";
import { sharedProject } from "./walk/shared-project.ts";
import { workingRequests } from "./walk/working-requests.ts";

let project: Project;
let otherProject: Project;
beforeAll(async () => {
  [project, otherProject] = await Promise.all([sharedProject(), sharedProject("second")]);
});

const idempotent = operationList.filter(({ idempotency }) => idempotency !== null);

function ask(operation: NamedOperation, request: OperationRequest, idempotencyKey: string, owner = project) {
  return send(operation, request, {
    credential: credentialFor(operation, request, owner.client.credential),
    idempotencyKey,
  });
}

const isReplayed = (reply: ApiReply): boolean => reply.headers.get("idempotency-replayed") === "true";

/** Returns another valid request, which differs from the first. */
function differently({ body, ...request }: OperationRequest): OperationRequest {
  const change = (value: unknown): unknown => {
    if (typeof value === "number") return value - 1;
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, change(inner)]));
  };
  const changed = change(body) as OperationRequest["body"];
  if (JSON.stringify(changed) !== JSON.stringify(body)) return { ...request, body: changed };
  const [name = "", value] =
    Object.entries(body ?? {}).find(([, text]) => /^[a-z]+[:.][a-z0-9]+$/.test(`${text}`)) ?? [];
  return { ...request, body: { ...body, [name]: `${value}0` } };
}

describe.each(idempotent)("$id", (operation) => {
  const rule = operation.idempotency;
  const replays = rule?.replay !== "refuse";

  test("returns the first outcome, or the operation's own rejection, for the same key and request", async () => {
    const [request, key] = [await workingRequests[operation.id](project), randomUUID()];
    const first = await ask(operation, request, key);
    expect({ status: first.status, text: first.text, isReplayed: isReplayed(first) }).toMatchObject({
      status: operation.status,
      isReplayed: false,
    });
    const second = await ask(operation, request, key);
    if (replays) {
      expect({ status: second.status, isReplayed: isReplayed(second) }).toEqual({
        status: first.status,
        isReplayed: true,
      });
      expect(second.json.data).toEqual(first.json.data);
    } else {
      expect([second.status, second.json.error.code]).toEqual([422, "upload_grant_already_issued"]);
      expect(second.json.error.details).toEqual({ file_object_id: first.json.data.file_object_id });
    }
  });

  test("refuses the same key with another request, and keeps the first outcome", async () => {
    const [request, key] = [await workingRequests[operation.id](project), randomUUID()];
    const another = await workingRequests[operation.id](project);
    const isAnother = JSON.stringify(another) !== JSON.stringify(request);
    const first = await ask(operation, request, key);
    const refused = await ask(operation, isAnother ? another : differently(request), key);
    expect([refused.status, refused.json.error]).toEqual([
      rule?.reusedStatus,
      expect.objectContaining({ code: "idempotency_key_reused", retryable: false, details: {} }),
    ]);
    if (replays) expect((await ask(operation, request, key)).json.data).toEqual(first.json.data);
  });

  test("executes ten concurrent requests with one key once", async () => {
    const [request, key] = [await workingRequests[operation.id](project), randomUUID()];
    const replies = await Promise.all(Array.from({ length: 10 }, () => ask(operation, request, key)));
    const done = replies.filter((reply) => reply.status === operation.status && !isReplayed(reply));
    expect(done).toHaveLength(1);
    const others = replies.filter((reply) => !done.includes(reply));
    if (replays) expect(others.map(({ json }) => json.data)).toEqual(others.map(() => done[0]?.json.data));
    else expect(others.map(({ status }) => status)).toEqual(others.map(() => 422));
  });
});

describe.each(idempotent.filter(({ body }) => body !== null))("$id", (operation) => {
  test("frees the key of a refused contract violation", async () => {
    const [request, key] = [await workingRequests[operation.id](project), randomUUID()];
    expect((await ask(operation, { ...request, body: {} }, key)).status).toBe(422);
    const reply = await ask(operation, request, key);
    expect([reply.status, isReplayed(reply)]).toEqual([operation.status, false]);
  });
});

describe.each(idempotent.filter(({ auth }) => auth.scheme === "projectCredential"))("$id", (operation) => {
  test("separates equal keys of two Project Clients", async () => {
    const key = randomUUID();
    const [mine, theirs] = [
      await workingRequests[operation.id](project),
      await workingRequests[operation.id](otherProject),
    ];
    await ask(operation, mine, key);
    const reply = await ask(operation, theirs, key, otherProject);
    expect([reply.status, isReplayed(reply)]).toEqual([operation.status, false]);
  });
});
