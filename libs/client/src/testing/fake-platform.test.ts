import { exampleRequests } from "@platform/contracts/examples";
import { type OperationId, operationList, operations } from "@platform/contracts/operations";
import { scopes } from "@platform/contracts/scopes";
import { validate } from "@platform/contracts/violations";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type Client, createClient } from "../client.ts";
import { fetchHandler, type WebhookCall } from "../webhooks/index.ts";
import { createFakePlatform, type FakePlatform } from "./index.ts";

let platform: FakePlatform;
let client: Client;
beforeEach(() => {
  platform = createFakePlatform();
  client = createClient({ baseUrl: platform.baseUrl, credential: platform.credential, fetch: platform.fetch });
});

const secret = "a secret of at least thirty-two characters";
const event = exampleRequests["events.publishDomainEvent"].body;

/** Sends an operation's example request as plain HTTP. */
async function send(id: OperationId, over: { headers?: Record<string, string>; body?: unknown } = {}) {
  const operation = operationList.find((one) => one.id === id);
  if (operation === undefined) throw new Error(`no operation ${id}`);
  const { method, path, body, rawBody } = operation;
  const example = exampleRequests[id];
  const params: Record<string, string> = example.params ?? {};
  const sent = over.body ?? example.body;
  const type = rawBody?.[0] ?? "application/json";
  const response = await platform.fetch(
    `${platform.baseUrl}/api/v1${path.replace(/\{([^}]+)\}/g, (_, name) => params[name] ?? "")}`,
    {
      method,
      headers: {
        authorization: `Bearer ${platform.credential}`,
        "idempotency-key": crypto.randomUUID(),
        "content-type": type,
        ...over.headers,
      },
      ...(body === null
        ? {}
        : { body: type.includes("form") ? new URLSearchParams(sent as any) : JSON.stringify(sent) }),
    },
  );
  const text = await response.text();
  return { status: response.status, json: text === "" ? null : JSON.parse(text) };
}

describe.each(operationList.map((operation) => [operation.id, operation] as const))(
  "%s",
  (id, { auth, body, idempotency }) => {
    test("refuses a request without a credential where the operation needs one", async () => {
      const { status, json } = await send(id, { headers: { authorization: "" } });
      if (auth.scheme === "none") expect(status).not.toBe(401);
      else expect([status, json.error.code]).toEqual([401, "unauthenticated"]);
    });

    test("refuses a request without the operation's scope", async () => {
      if (auth.scheme !== "projectCredential") return expect(auth).not.toHaveProperty("scope");
      platform = createFakePlatform({ scopes: scopes.filter((scope) => scope !== auth.scope) });
      const { status, json } = await send(id);
      expect([status, json.error.code, json.error.details]).toEqual([
        403,
        "insufficient_scope",
        { required_scope: auth.scope },
      ]);
    });

    test("names all violations of an empty body and a missing key", async () => {
      const headers = {
        "idempotency-key": "",
        ...(auth.scheme === "platformSession" ? { authorization: `Bearer ${platform.createSession()}` } : {}),
      };
      const { status, json } = await send(id, { headers, body: {} });
      if (body === null && idempotency === null) return expect(json?.error?.code).not.toBe("contract_violation");
      expect([status, json.error.code]).toEqual([422, "contract_violation"]);
      const paths = json.error.details.violations.map(({ path }: any) => path);
      if (idempotency !== null) expect(paths).toContain("header:Idempotency-Key");
      if (body !== null) expect(paths.some((path: string) => path.startsWith("/"))).toBe(true);
    });
  },
);

describe("a response that matches its schema", () => {
  const answered = new Set<OperationId>();
  const call: Client["call"] = async (id, ...request) => {
    const answer = await client.call(id, ...request);
    const schema = operations[id].response;
    if (schema !== null) expect(validate(schema, answer), id).toMatchObject({ ok: true });
    answered.add(id);
    return answer;
  };

  test("supports the operations of identity", async () => {
    await call("identity.getProjectClient");
    const { data: transaction } = await call("identity.createIdentityMigrationTransaction", {
      body: {
        ...exampleRequests["identity.createIdentityMigrationTransaction"].body,
        project_client_id: platform.projectClientId,
        expires_at: new Date(Date.now() + 60_000).toISOString(),
      },
    });
    const params = { transactionId: transaction.id };
    const { flow_token } = transaction;
    const continuation = exampleRequests["identity.createHostedContinuation"].body;
    await call("identity.createHostedContinuation", { params, body: { ...continuation, flow_token } });
    const credential = platform.createSession();
    await call("identity.requestEmailVerification", { params, body: { flow_token }, credential });
    const token = platform.verificationLinkToken(transaction.id);
    await call("identity.verifyEmail", { params: { ...params, token } });
    const linked = await call("identity.linkIdentityMigrationTransaction", {
      params,
      body: { flow_token },
      credential,
    });
    expect(linked.data.status).toBe("link_pending");
    await call("identity.confirmLink", { params });
    expect((await call("identity.getIdentityMigrationTransaction", { params })).data.status).toBe("completed");
  });

  test("supports the operations of files", async () => {
    const bytes = new TextEncoder().encode("abc");
    const body = { ...exampleRequests["files.createUploadGrant"].body, expected_content_type: "image/png" as const };
    const { data: grant } = await call("files.createUploadGrant", { body });
    const params = { uploadToken: grant.upload_token };
    await call("files.uploadFile", { params, body: bytes, contentType: "image/png" });
    const file = { fileObjectId: grant.file_object_id };
    await call("files.completeFileObject", { params: file });
    await call("files.createDownloadGrant", { params: file });
    await call("files.createPublicAsset", { params: file, body: { image_preset_id: platform.imagePresetId } });
  });

  test("supports the operations of notify", async () => {
    await call("notify.validateNotificationCatalog", {
      body: exampleRequests["notify.validateNotificationCatalog"].body,
    });
    const { data: mail } = await call("notify.registerEmailDeliveryEndpoint", { body: { address: "a@example.com" } });
    const token = mail.verification_token ?? "";
    await call("notify.verifyEmailDeliveryEndpoint", { params: { endpointId: mail.id }, body: { token } });
    const intent = exampleRequests["notify.createNotificationIntent"].body;
    const { data: sent } = await call("notify.createNotificationIntent", { body: { ...intent, endpoint_id: mail.id } });
    const delivery = await call("notify.getNotificationDelivery", { params: { deliveryId: sent.delivery_id } });
    expect(delivery.data.status).toBe("sent");

    const registration = exampleRequests["notify.registerDeliveryEndpoint"].body;
    const { data: device } = await call("notify.registerDeliveryEndpoint", { body: registration });
    const params = { endpointId: device.id };
    await call("notify.verifyDeliveryEndpoint", { params, body: { token: platform.verificationToken(device.id) } });
    const purpose = "transactional.order";
    await call("notify.setDeliveryConsent", { params: { ...params, purpose }, body: { granted: true } });
    const push = exampleRequests["notify.createChannelNotificationIntent"].body;
    await call("notify.createChannelNotificationIntent", { body: { ...push, endpoint_id: device.id } });
    await call("notify.getDeliveryEndpoint", { params });
    expect((await call("notify.revokeDeliveryEndpoint", { params })).data.status).toBe("revoked");
  });

  test("supports the operations of edge, events and ads", async () => {
    await call("edge.getHealth");
    await call("edge.noop", { body: exampleRequests["edge.noop"].body });
    await call("events.createProjectAudit", { body: exampleRequests["events.createProjectAudit"].body });
    await call("events.publishDomainEvent", { body: event });
    await call("events.registerScheduledOperation", {
      body: exampleRequests["events.registerScheduledOperation"].body,
    });
    const impression = { visible_ratio_basis_points: 6_000, duration_milliseconds: 1_200, token: platform.decideAd() };
    expect((await call("ads.recordViewableImpression", { body: impression })).data.recorded).toBe(true);
    expect((await call("ads.recordViewableImpression", { body: impression })).data.recorded).toBe(false);
  });

  test("covers every operation except the browser's form", () => {
    const called = operationList.map(({ id }) => id).filter((id) => id !== "identity.continueIdentityMigration");
    expect([...answered].sort()).toEqual(called.sort());
  });
});

describe("keys, quotas and failures", () => {
  test("executes a key once, replays it, and rejects it with another body", async () => {
    const idempotencyKey = "key-1";
    const first = await client.exchange("events.publishDomainEvent", { body: event, idempotencyKey });
    const second = await client.exchange("events.publishDomainEvent", { body: event, idempotencyKey });
    expect([first.isReplayed, second.isReplayed, second.body]).toEqual([false, true, first.body]);
    expect(platform.events).toHaveLength(1);
    const other = client.call("events.publishDomainEvent", { body: { ...event, type: "order.lost" }, idempotencyKey });
    await expect(other).rejects.toMatchObject({ code: "idempotency_key_reused", status: 422 });
    const noop = (minor: number) =>
      client.call("edge.noop", { body: { money: { currency: "JPY", minor } }, idempotencyKey });
    expect((await noop(1)).meta.replayed).toBe(false);
    expect((await noop(1)).meta.replayed).toBe(true);
    await expect(noop(2)).rejects.toMatchObject({ code: "idempotency_key_reused", status: 409 });
  });

  test("refuses a spent hard quota with its details", async () => {
    platform.setLimit("events", 1);
    const impatient = createClient({
      baseUrl: platform.baseUrl,
      credential: platform.credential,
      fetch: platform.fetch,
      retry: { attemptsMax: 1 },
    });
    const publish = (sequence: number) => impatient.call("events.publishDomainEvent", { body: { ...event, sequence } });
    await publish(1);
    await expect(publish(2)).rejects.toMatchObject({
      code: "platform_quota_exceeded",
      details: { resource: "events", used: 1, limit: 1, retry_after_seconds: 1 },
    });
  });

  test("returns an error that the test chose, once", async () => {
    platform.failNext("events.publishDomainEvent", "stream_sequence_conflict");
    const publish = () => client.call("events.publishDomainEvent", { body: event });
    await expect(publish()).rejects.toMatchObject({ code: "stream_sequence_conflict" });
    await publish();
    expect(platform.requests.map(({ operationId, status }) => [operationId, status])).toEqual([
      ["events.publishDomainEvent", 422],
      ["events.publishDomainEvent", 200],
    ]);
  });
});

describe("the client's tasks", () => {
  const source = () => new Blob(["hello"]).stream();

  test("reports a file as available after uploadFile, from bytes, Blob and stream", async () => {
    for (const file of [new TextEncoder().encode("hello"), new Blob(["hello"]), source()]) {
      const verdict = await client.uploadFile(file, { contentType: "text/plain" });
      expect(verdict).toMatchObject({ status: "available" });
    }
  });

  test("reports why uploadFile's file was rejected", async () => {
    platform.rejectNextUpload("malware_detected");
    const verdict = await client.uploadFile(source(), { contentType: "text/plain" });
    expect(verdict).toMatchObject({ status: "rejected", rejectionReason: "malware_detected" });
  });

  test("queries an upload with an unknown outcome, and uses its grant again", async () => {
    platform.failNext("files.uploadFile", "dependency_unavailable");
    const verdict = await client.uploadFile(source(), { contentType: "text/plain" });
    expect(verdict.status).toBe("available");
    expect(platform.requests.map(({ operationId }) => operationId)).toEqual([
      "files.createUploadGrant",
      "files.uploadFile",
      "files.completeFileObject",
      "files.uploadFile",
      "files.completeFileObject",
    ]);
  });

  test("returns a failed delivery with its error from waitForDelivery", async () => {
    platform.failNextDelivery("mailbox_full");
    const { data: mail } = await client.call("notify.registerEmailDeliveryEndpoint", {
      body: { address: "a@b.example" },
    });
    const verification = { params: { endpointId: mail.id }, body: { token: mail.verification_token ?? "" } };
    await client.call("notify.verifyEmailDeliveryEndpoint", verification);
    const body = { ...exampleRequests["notify.createNotificationIntent"].body, endpoint_id: mail.id };
    const { data: intent } = await client.call("notify.createNotificationIntent", { body });
    const delivery = await client.waitForDelivery(intent.delivery_id);
    expect(delivery).toMatchObject({ status: "failed", last_error_code: "mailbox_full" });
    expect(platform.notifications).toMatchObject([{ templateKey: body.template_key }]);
  });

  test("escapes the token in the form of hostedContinuationForm", () => {
    const form = client.hostedContinuationForm({ id: "c-1", continuation_token: `"><script>` }, "Go & see");
    expect(form.action).toBe("http://platform.test/api/v1/identity-migration/continue");
    expect(form.fields).toEqual({ continuation_id: "c-1", continuation_token: `"><script>` });
    expect(form.html).not.toContain("<script>");
    expect(form.html).toContain("Go &amp; see");
  });
});

describe("calls of the platform", () => {
  test("sends signed scheduled calls and events", async () => {
    const registration = { name: "nightly.report", url: "https://shop.example.com/hooks", secret };
    const { data: operation } = await client.call("events.registerScheduledOperation", { body: registration });
    const calls: WebhookCall[] = [];
    const target = fetchHandler({ secret, handle: (call) => calls.push(call) });
    expect((await platform.callScheduled(operation.id, target)).status).toBe(200);
    await platform.sendEvent(operation.id, { type: "order.shipped", data: { parcels: 2 } }, target);
    expect(calls).toMatchObject([
      { kind: "scheduled", call: { name: "nightly.report", attempt: 1 } },
      { kind: "event", event: { type: "order.shipped", data: { parcels: 2 } } },
    ]);
  });
});

describe("over HTTP", () => {
  let server: Awaited<ReturnType<FakePlatform["listen"]>>;
  afterEach(() => server.close());

  test("serves the fake platform on a loopback port", async () => {
    server = await platform.listen();
    const remote = createClient({ baseUrl: server.baseUrl, credential: platform.credential });
    expect((await remote.call("identity.getProjectClient")).data.id).toBe(platform.projectClientId);
    expect((await remote.uploadFile(new Blob(["hello"]), { contentType: "text/plain" })).status).toBe("available");
  });
});
