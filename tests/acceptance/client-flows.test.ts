import { createHash, randomUUID } from "node:crypto";
import { createClient, PlatformError } from "@platform/client";
import { operationList } from "@platform/contracts/operations";
import { eventually } from "@platform/test-kit/eventually";
import { beforeAll, describe, expect, test } from "vitest";
import { acceptanceStack, ctl } from "./stack.ts";
import { newProject, type Project } from "./walk/project.ts";

const { baseUrl, env } = acceptanceStack;
const families = new Set<string>();

let project: Project;
let client: ReturnType<typeof createClient>;
beforeAll(async () => {
  project = await newProject();
  client = createClient({ baseUrl, credential: project.client.credential });
});

/** Tests the published client against the platform, with one flow for each family of operations. */
describe("@platform/client", () => {
  test("edge: validates a request and replays it under its key", async () => {
    families.add("edge");
    const open = createClient({ baseUrl, credential: null });
    const request = { body: { money: { currency: "JPY", minor: 1_200 } }, idempotencyKey: randomUUID() };
    const first = await open.exchange("edge.noop", request);
    const second = await open.exchange("edge.noop", request);
    expect([first.status, first.isReplayed, second.isReplayed]).toEqual([202, false, true]);
    expect(second.body.meta).toMatchObject({ idempotency_key: request.idempotencyKey, replayed: true });
    expect((await open.call("edge.getHealth")).data.status).toBe("ok");
  });

  test("identity: creates and finds a transaction, and throws a typed error for a missing one", async () => {
    families.add("identity");
    const { data: own } = await client.call("identity.getProjectClient");
    expect(own).toMatchObject({ id: project.client.id, environment: "development" });
    const { data: transaction } = await client.call("identity.createIdentityMigrationTransaction", {
      body: {
        project_client_id: own.id,
        legacy_subject: `member-${randomUUID()}`,
        email: "hanako@example.com",
        locale: "ja",
        correlation_id: randomUUID(),
        expires_at: new Date(Date.now() + 3_600_000).toISOString(),
      },
    });
    const params = { transactionId: transaction.id };
    const { data: found } = await client.call("identity.getIdentityMigrationTransaction", { params });
    expect(found).toMatchObject({ id: transaction.id, status: "pending" });
    const missing = client.call("identity.getIdentityMigrationTransaction", {
      params: { transactionId: randomUUID() },
    });
    await expect(missing).rejects.toMatchObject({
      name: "PlatformError",
      code: "identity_migration_transaction_not_found",
      status: 404,
      retryable: false,
    });
  });

  test("files: grants an upload, sends its bytes, classifies it and grants a download", async () => {
    families.add("files");
    const bytes = Buffer.from("Hello from the client.\n");
    const { data: grant } = await client.call("files.createUploadGrant", {
      body: {
        expected_sha256: createHash("sha256").update(bytes).digest("hex"),
        expected_content_type: "text/plain",
        maximum_bytes: bytes.byteLength,
      },
    });
    const upload = { params: { uploadToken: grant.upload_token }, body: bytes, contentType: "text/plain" } as const;
    expect((await client.call("files.uploadFile", upload)).data.file_object_id).toBe(grant.file_object_id);
    await expect(client.call("files.uploadFile", upload)).rejects.toMatchObject({ code: "upload_token_invalid" });
    const params = { fileObjectId: grant.file_object_id };
    await eventually(
      async () => (await client.call("files.completeFileObject", { params })).data.status === "available",
    );
    const { data: download } = await client.call("files.createDownloadGrant", { params });
    expect(Buffer.from(await (await fetch(download.download_url)).arrayBuffer())).toEqual(bytes);
  });

  test("notify: registers and verifies an address, and sends an email to it", async () => {
    families.add("notify");
    const address = `${randomUUID()}@example.com`;
    const { data: endpoint } = await client.call("notify.registerEmailDeliveryEndpoint", { body: { address } });
    await client.call("notify.verifyEmailDeliveryEndpoint", {
      params: { endpointId: endpoint.id },
      body: { token: endpoint.verification_token ?? "" },
    });
    const { data: intent } = await client.call("notify.createNotificationIntent", {
      body: {
        sender_profile_id: project.emailProfileId,
        template_key: "order-shipped",
        locale: "en",
        endpoint_id: endpoint.id,
        variables: { order_number: "A-1042", parcels: 2 },
      },
    });
    const delivery = await client.call("notify.getNotificationDelivery", {
      params: { deliveryId: intent.delivery_id },
    });
    expect(delivery.data).toMatchObject({ id: intent.delivery_id, channel: "email" });
  });

  test("events: publishes an event once, however often it is sent, and names violations", async () => {
    families.add("events");
    const body = { type: "order.placed", schema_version: 1, data: { order: "A-1042" } } as const;
    const idempotencyKey = randomUUID();
    const sent = await Promise.all(
      Array.from({ length: 5 }, () => client.call("events.publishDomainEvent", { body, idempotencyKey })),
    );
    expect(new Set(sent.map(({ data }) => data.id)).size).toBe(1);
    const refused = await client
      .call("events.publishDomainEvent", { body: { ...body, type: "Not A Name" } })
      .catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(PlatformError);
    expect((refused as PlatformError).violations).toEqual([
      expect.objectContaining({ path: "/type", code: "invalid_format" }),
    ]);
  });

  test("ads: records an impression once, without a credential", async () => {
    families.add("ads");
    const { token } = await ctl(["ads", "decide", "--campaign", env.CAMPAIGN_ID ?? ""]);
    const body = { token, visible_ratio_basis_points: 8_000, duration_milliseconds: 1_500 };
    const record = () => client.call("ads.recordViewableImpression", { body, credential: null });
    expect((await record()).data.recorded).toBe(true);
    expect((await record()).data).toMatchObject({ recorded: false, charged_minor: 0 });
  });

  test("retries a refused quota after Retry-After with the same key and succeeds", async () => {
    const waits: number[] = [];
    const raise = async (limit: number) =>
      ctl(["quotas", "set", "--client", project.client.id, "--resource", "events", "--limit", `${limit}`]);
    const { events = 0 } = Object.fromEntries(
      (await ctl(["quotas", "show", "--client", project.client.id])).map((row: { resource: string; used: number }) => [
        row.resource,
        row.used,
      ]),
    );
    await raise(events);
    const waiting = createClient({
      baseUrl,
      credential: project.client.credential,
      retry: {
        waitMsMax: 86_400_000,
        wait: async (ms) => {
          waits.push(ms);
          await raise(events + 1);
        },
      },
    });
    const body = { type: "order.placed", schema_version: 1, data: {} } as const;
    const { status } = await waiting.exchange("events.publishDomainEvent", { body });
    expect(status).toBe(200);
    expect(waits).toHaveLength(1);
    expect(waits[0]).toBeGreaterThanOrEqual(1_000);
  });

  test("calls an operation of every family", () => {
    expect(families).toEqual(new Set(operationList.map(({ id }) => id.split(".")[0])));
  });
});
