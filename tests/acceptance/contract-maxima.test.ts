import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { verify } from "@platform/client/webhooks";
import { type OperationId, operationList } from "@platform/contracts/operations";
import { beforeAll, describe, expect, test } from "vitest";
import { type ApiReply, acceptanceStack, ctl } from "./stack.ts";
import { credentialFor, send } from "./walk/operation-request.ts";
import { newProject, type Project } from "./walk/project.ts";
import { workingRequests } from "./walk/working-requests.ts";

/** Returns a text of characters with the longest encoding: four bytes in UTF-8, twelve characters in a URL, two UTF-16 code units. */
const wide = (length: number): string => "😀".repeat(length);
const padded = (start: string, length: number): string => start + "a".repeat(length - start.length);

const returnUri = padded("https://app.example/linked?x=", 2048);

let project: Project;
beforeAll(async () => {
  project = await newProject(returnUri);
});

async function sendWith(
  id: OperationId,
  change: Record<string, unknown>,
  key: string = randomUUID(),
): Promise<ApiReply> {
  const operation = operationList.find((one) => one.id === id);
  if (operation === undefined) throw new Error(`no operation ${id}`);
  const request = await workingRequests[id](project);
  const body = request.body === null ? null : { ...request.body, ...change };
  return send(
    operation,
    { ...request, body },
    {
      credential: credentialFor(operation, request, project.client.credential),
      idempotencyKey: key,
    },
  );
}

const manyVariables = (name: (index: number) => string, value: string): Record<string, string> =>
  Object.fromEntries(Array.from({ length: 50 }, (_, index) => [name(index), value]));
const catalogEntry = (index: number) => ({
  event_key: padded(`e${index}`, 120),
  template_key: wide(120),
  channel: "email",
  purpose: padded("p", 120),
  locale: "en",
  sender_profile: wide(120),
  variables: manyVariables((at) => wide(5) + at, "integer"),
});

/**
 * Sets every text and number of the contract to its maximum. Each entry has the expected status, and the error code if
 * the value names nothing that exists.
 */
const maxima: readonly (readonly [OperationId, string, Record<string, unknown>, number, string?])[] = [
  ["identity.createIdentityMigrationTransaction", "legacy_subject", { legacy_subject: wide(255) }, 201],
  ["identity.createIdentityMigrationTransaction", "email", { email: `${padded("ü@", 251)}.com` }, 201],
  ["identity.createIdentityMigrationTransaction", "locale", { locale: "en-Latn-US-x-abcdefg" }, 201],
  ["identity.createHostedContinuation", "state", { return_uri: returnUri, state: wide(2048) }, 201],
  ["notify.registerEmailDeliveryEndpoint", "address", { address: `${padded(`${randomUUID()}@`, 316)}.com` }, 200],
  ["notify.registerDeliveryEndpoint", "identifier", { identifier: wide(4096 - 36) + randomUUID() }, 200],
  ["notify.createNotificationIntent", "template_key", { template_key: wide(120) }, 422, "template_not_found"],
  ["notify.createNotificationIntent", "marketing_purpose", { marketing_purpose: wide(120) }, 200],
  [
    "notify.createNotificationIntent",
    "a variable that is too long for the subject",
    { variables: { order_number: wide(5000), parcels: 2 } },
    422,
    "template_variables_mismatch",
  ],
  [
    "notify.createNotificationIntent",
    "50 variables of 5,000 characters",
    { variables: manyVariables((index) => `v${index}`, wide(5000)) },
    422,
    "template_variables_mismatch",
  ],
  [
    "notify.createNotificationIntent",
    "50 variables with names of 5,000 characters",
    { variables: manyVariables((index) => wide(5000) + index, "") },
    422,
    "template_variables_mismatch",
  ],
  ["notify.createChannelNotificationIntent", "template_key", { template_key: wide(120) }, 422, "template_not_found"],
  ["notify.createChannelNotificationIntent", "purpose", { purpose: wide(120) }, 422, "consent_required"],
  [
    "notify.createChannelNotificationIntent",
    "50 variables with names of 5,000 characters",
    { variables: manyVariables((index) => wide(5000) + index, "") },
    422,
    "template_variables_mismatch",
  ],
  [
    "notify.validateNotificationCatalog",
    "500 entries",
    { entries: Array.from({ length: 500 }, (_, index) => catalogEntry(index)) },
    200,
  ],
  ["events.publishDomainEvent", "type", { type: padded("t", 120) }, 200],
  ["events.publishDomainEvent", "stream_id", { stream_id: wide(180 - 36) + randomUUID(), sequence: 1 }, 200],
  ["events.publishDomainEvent", "data", { data: { text: wide(260_000) } }, 200],
  [
    "events.publishDomainEvent",
    "schema_version and sequence",
    { schema_version: 65_535, stream_id: randomUUID(), sequence: Number.MAX_SAFE_INTEGER },
    200,
  ],
  [
    "events.createProjectAudit",
    "every field",
    {
      actor_id: padded("a", 255),
      action: padded("a", 120),
      resource_type: padded("r", 120),
      resource_id: padded("r", 255),
    },
    201,
  ],
  ["events.registerScheduledOperation", "name", { name: padded("n", 120) }, 200],
  ["events.registerScheduledOperation", "url", { url: padded("https://app.example/x?", 2048) }, 200],
  ["events.registerScheduledOperation", "secret", { secret: wide(255) }, 200],
  ["events.registerScheduledOperation", "max_attempts", { max_attempts: 100 }, 200],
  ["ads.recordViewableImpression", "token", { token: wide(4096) }, 422, "decision_token_invalid"],
  ["edge.noop", "members of its own", { note: wide(250_000) }, 202],
];

describe("a request at the contract's maximum", () => {
  for (const [id, field, change, status, code] of maxima) {
    test(`${id} accepts a value of the maximum length like a short one: ${field}`, async () => {
      const reply = await sendWith(id, change);
      expect({ status: reply.status, code: reply.json?.error?.code, text: reply.text.slice(0, 300) }).toMatchObject({
        status,
        ...(code === undefined ? {} : { code }),
      });
    });
  }

  const keyed = operationList.filter(({ idempotency }) => idempotency !== null);
  test.each(keyed.map((operation) => [operation.id, operation] as const))(
    "%s accepts an Idempotency-Key of the maximum length",
    async (id, { idempotency, status }) => {
      const key = padded(randomUUID(), idempotency?.maxLength ?? 0);
      const change = id === "identity.createHostedContinuation" ? { return_uri: returnUri } : {};
      const reply = await sendWith(id, change, key);
      expect([reply.status, reply.text]).toEqual([status, expect.anything()]);
    },
  );
});

test("returns a state of 2,048 characters of four bytes through the hosted pages to the project, instead of failing with 503", async () => {
  const state = wide(2048);
  const created = await sendWith("identity.createHostedContinuation", { return_uri: returnUri, state });
  const { id, continuation_token } = created.json.data;
  const pages = `${acceptanceStack.baseUrl}/api/v1/identity-migration`;
  const posted = await fetch(`${pages}/continue`, {
    method: "POST",
    redirect: "manual",
    body: new URLSearchParams({ continuation_id: id, continuation_token }),
  });
  const cookie = posted.headers.getSetCookie()[0]?.split(";")[0] ?? "";
  const first = await (await fetch(`${pages}/sign-in`, { headers: { cookie } })).text();
  const formToken = /name="form_token" value="([0-9a-f]{64})"/.exec(first)?.[1] ?? "";
  const cancelled = await fetch(`${pages}/cancel`, {
    method: "POST",
    headers: { cookie },
    body: new URLSearchParams({ form_token: formToken }),
  });
  expect(cancelled.status).toBe(200);
  const address =
    /<a class="btn[^"]*" href="([^"]+)"/.exec(await cancelled.text())?.[1]?.replaceAll("&amp;", "&") ?? "";
  expect(address.startsWith(`${returnUri}&`)).toBe(true);
  expect(new URL(address).searchParams.get("state")).toBe(state);
});

test("calls a URL of 2,048 characters, signed with a secret of 255 characters of four bytes", async () => {
  const secret = wide(255);
  const called = Promise.withResolvers<{ url: string; kind: string }>();
  const target = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const received = { headers: request.headers, body: Buffer.concat(parts) };
    verify(secret, received).then(
      ({ kind }) => called.resolve({ url: request.url ?? "", kind }),
      (error: Error) => called.reject(error),
    );
    response.end();
  });
  await new Promise<void>((resolve) => target.listen(0, "127.0.0.1", resolve));
  const base = `http://127.0.0.1:${(target.address() as AddressInfo).port}`;
  const url = padded(`${base}/`, 2048);
  const registered = await sendWith("events.registerScheduledOperation", { url, secret });
  await ctl(["schedules", "invoke", "--operation", registered.json.data.id]);
  expect(await called.promise).toEqual({ url: url.slice(base.length), kind: "scheduled" });
  target.closeAllConnections();
  target.close();
});
