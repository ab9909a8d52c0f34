import { randomUUID } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readEnvFile } from "@platform/stack/settings";
import type { StoredDocument } from "@platform/test-kit/documents";
import { type Db, MongoClient } from "mongodb";
import { acceptanceStack, api, ctl, newClient } from "./stack.ts";

/** Returns markup that would run a script if it were not escaped. `what` distinguishes the texts. */
export const markupOf = (what: string): string => `<img src=x onerror=alert(/${what}/)>"'</textarea></script>`;

/** Returns the beginning of the same markup, which pages may show as text. */
export const escapedMarkupOf = (what: string): string => `&lt;img src=x onerror=alert(/${what}/)&gt;`;

/** Calls `work` with the database of a service of the platform under test. */
export async function withDatabase<T>(service: string, work: (database: Db) => Promise<T>): Promise<T> {
  const settings = readEnvFile(join(acceptanceStack.directory, "stack.env"));
  const mongo = await MongoClient.connect(settings.MONGODB_URI ?? "");
  try {
    return await work(mongo.db(`${settings.MONGODB_DATABASE_PREFIX ?? ""}${service}`));
  } finally {
    await mongo.close();
  }
}

/** A Project Client with one resource of each kind. Every text that a caller can set contains markup. */
export type MarkedProject = {
  readonly clientId: string;
  readonly credential: string;
  readonly deliveryId: string;
  readonly endpointId: string;
  readonly token: string;
  readonly profileId: string;
  readonly operationId: string;
  readonly runId: string;
  readonly campaignId: string;
  readonly accountId: string;
  readonly migrationId: string;
  readonly fileId: string;
  readonly erasureId: string;
  readonly subscriptionId: string;
  readonly memberId: string;
  readonly eventKey: string;
  /** The created texts by the name in their markup. */
  readonly marks: readonly string[];
};

export async function makeMarkedProject(): Promise<MarkedProject> {
  const { id: clientId } = await ctl([
    "clients",
    "create",
    "--name",
    markupOf("client"),
    "--environment",
    "development",
  ]);
  const of = ["--client", clientId];
  const scopes = (await newClient()).scopes.join(",");
  const issued = await ctl(["credentials", "issue", ...of, "--scopes", scopes, "--name", markupOf("credential")]);
  const { credential } = issued;
  const make = async (method: string, path: string, body?: object, key?: string): Promise<any> => {
    const reply = await api(method, path, { credential, body, ...(key === undefined ? {} : { idempotencyKey: key }) });
    if (reply.status >= 300) throw new Error(`${method} ${path} answered ${reply.status} ${reply.text}`);
    return reply.json.data;
  };

  const config = JSON.stringify({ channel_access_token: "first-token" });
  const { id: profileId } = await ctl([
    "sender-profiles", "create", ...of, "--channel", "line", "--name", markupOf("profile"), "--config", config,
  ]); // biome-ignore format: one command
  const catalog = join(tmpdir(), `catalog-${clientId}.yaml`);
  const template = {
    key: "marked",
    channel: "line",
    locale: "en",
    subject: markupOf("subject"),
    text: markupOf("text"),
  };
  await writeFile(catalog, JSON.stringify({ templates: [{ ...template, variables: {} }] }));
  await ctl(["catalog", "apply", ...of, "--file", catalog]);
  const token = `U${randomUUID().replaceAll("-", "")}`;
  const { id: endpointId } = await ctl(["endpoints", "link-line", ...of, "--user-id", token]);
  await make("PUT", `/notification-endpoints/${endpointId}/consents/news`, { granted: true });
  await make("PUT", `/notification-endpoints/${endpointId}/consents/orders`, { granted: true });
  await make("PUT", `/notification-endpoints/${endpointId}/consents/news`, { granted: false });

  const eventKey = `event-${randomUUID()}`;
  const event = { type: "order.placed", schema_version: 1, data: { note: markupOf("data") } };
  await make("POST", "/domain-events", { ...event, stream_id: markupOf("stream"), sequence: 1 }, eventKey);
  const audit = { action: "order.refund", resource_type: "order", outcome: "succeeded" };
  await make("POST", "/project-audits", { ...audit, actor_id: "staff:42", resource_id: "A-1042" });
  const operation = { name: "orders.close", url: "https://shop.example.com/hooks/close", max_attempts: 5 };
  const { id: operationId } = await make("POST", "/scheduled-operations", { ...operation, secret: randomUUID() });
  const { id: subscriptionId } = await ctl([
    "subscriptions",
    "create",
    "--operation",
    operationId,
    "--types",
    "order.*",
  ]);
  const { id: memberId } = await ctl([
    "members", "add", ...of, "--email", `${randomUUID()}@example.com`, "--role", "reader",
  ]); // biome-ignore format: one command
  await ctl(["consumers", "issue", ...of, "--name", markupOf("consumer")]);
  const { id: campaignId } = await ctl([
    "campaigns", "create", ...of, "--name", markupOf("campaign"), "--currency", "JPY", "--cpm-minor", "100", "--budget-minor", "1000",
    "--destination-url", "https://example.com/",
  ]); // biome-ignore format: one command
  await ctl(["ad-servers", "issue", "--campaign", campaignId, "--name", markupOf("ad-server")]);

  const email = `${randomUUID()}@example.com`;
  const { id: migrationId } = await make("POST", "/identity-migration-transactions", {
    project_client_id: clientId,
    legacy_subject: markupOf("subject-id"),
    email,
    locale: "en",
    correlation_id: randomUUID(),
    expires_at: new Date(Date.now() + 3_600_000).toISOString(),
  });
  const { id: accountId } = await ctl([
    "accounts", "create", "--email", email, "--password", `Passw0rd-${randomUUID()}`, "--verified",
  ]); // biome-ignore format: one command
  await ctl(["sessions", "create", "--account", accountId]);
  const { file_object_id: fileId } = await make("POST", "/file-objects/upload-grants", {
    expected_sha256: "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
    expected_content_type: "text/plain",
    maximum_bytes: 1024,
  });
  const { erasure_id: erasureId } = await ctl([
    "persons", "erase", "--email", `${randomUUID()}@example.com`, "--reason", markupOf("reason"),
  ]); // biome-ignore format: one command

  const { deliveryId, runId } = await storeFailures(clientId, { profileId, endpointId, operationId, erasureId });
  return {
    clientId,
    credential,
    deliveryId,
    endpointId,
    token,
    profileId,
    operationId,
    runId,
    campaignId,
    accountId,
    migrationId,
    fileId,
    erasureId,
    subscriptionId,
    memberId,
    eventKey,
    marks: [
      ...["client", "credential", "profile", "subject", "text", "data", "stream", "consumer", "campaign", "ad-server"],
      ...["subject-id", "reason", "error-code", "provider-status", "run-error", "erasure-error"],
    ],
  };
}

/**
 * Creates stored responses of providers and targets: a failed delivery, a failed run, a failed erasure, and a published
 * image.
 */
async function storeFailures(
  clientId: string,
  ids: { profileId: string; endpointId: string; operationId: string; erasureId: string },
): Promise<{ deliveryId: string; runId: string }> {
  const [deliveryId, runId, at] = [randomUUID(), randomUUID(), new Date(Date.now() - 60_000)];
  await withDatabase("notify", (database) =>
    database.collection<StoredDocument>("deliveries").insertOne({
      _id: deliveryId,
      project_client_id: clientId,
      kind: "intent",
      intent_id: randomUUID(),
      idempotency_key: `line:${deliveryId}`,
      idempotency_fingerprint: "",
      channel: "line",
      template_key: "marked",
      sender_profile_id: ids.profileId,
      endpoint_id: ids.endpointId,
      purpose: null,
      verification_generation: null,
      content: { subject: "s", text: "t", html: null },
      status: "failed",
      lane: "",
      due_at: at,
      give_up_at: at,
      attempts: 1,
      provider_status: markupOf("provider-status"),
      last_error_code: markupOf("error-code"),
      attempt_log: [],
      correlation_id: randomUUID(),
      traceparent: null,
      created_at: at,
      finished_at: at,
    }),
  );
  await withDatabase("events", (database) =>
    database.collection<StoredDocument>("scheduled_runs").insertOne({
      _id: runId,
      project_client_id: clientId,
      operation_id: ids.operationId,
      scheduled_for: at,
      due_at: at,
      state: "failed",
      attempts: [{ at, status_code: 500, error: markupOf("run-error"), response: null }],
      attempt_count: 1,
      tries_made: 1,
      tries_left: 0,
    }),
  );
  const version = {
    version: 1,
    preset_revision: 1,
    format: "webp",
    sha256: "0".repeat(64),
    size_bytes: 10,
    created_at: at,
  };
  await withDatabase("files", (database) =>
    database.collection<StoredDocument>("public_assets").insertOne({
      _id: randomUUID(),
      project_client_id: clientId,
      file_object_id: randomUUID(),
      image_preset_id: randomUUID(),
      versions: [version],
    }),
  );
  await withDatabase("identity", (database) =>
    database.collection<StoredDocument>("erasures").updateOne(
      { _id: ids.erasureId },
      {
        $set: { "steps.1.status": "failed", "steps.1.error": markupOf("erasure-error"), finished_at: null },
        // @ts-expect-error The driver permits $pull only on fields that it knows as lists.
        $pull: { open: "notify" },
      },
    ),
  );
  return { deliveryId, runId };
}

/**
 * Adds resources that only the crawl needs: a contact, a brand, a captured message, a suppressed address, and a retired
 * signing key.
 */
export async function completeProject({ clientId, profileId, endpointId, token }: MarkedProject): Promise<void> {
  const of = ["--client", clientId];
  await ctl(["contacts", "add", ...of, "--email", `${randomUUID()}@example.com`, "--kind", "technical"]);
  await ctl(["brands", "create", ...of, "--name", markupOf("brand")]);
  await ctl(["sender-profiles", "update", "--profile", profileId, "--changes", JSON.stringify({ mode: "capture" })]);
  await ctl(["sender-profiles", "test", "--profile", profileId, "--to", token]);
  const suppressed = { suppression: { reason: "bounced", withdrew: [] }, suppressed_at: new Date() };
  await withDatabase("notify", (database) =>
    database.collection<StoredDocument>("delivery_endpoints").updateOne({ _id: endpointId }, { $set: suppressed }),
  );
  // A new platform has no signing key yet.
  for (const _ of ["first", "second"]) await ctl(["ads", "keys", "rotate"]);
}

/** Returns pages of the project to which the navigation does not link. */
export function pagesOf(project: MarkedProject): string[] {
  const { clientId: client } = project;
  const lists = "deliveries endpoints profiles templates events schedules audits files migrations".split(" ");
  return [
    ...lists.map((name) => `/${name}?client=${client}`),
    `/clients/${client}`,
    `/deliveries/${project.deliveryId}`,
    `/endpoints/${project.endpointId}`,
    `/endpoints/${project.endpointId}/restore-consent?client=${client}&purpose=news`,
    `/profiles/${project.profileId}`,
    `/templates/preview?client=${client}&key=marked`,
    `/events/subscriptions?client=${client}`,
    `/events/consumers?client=${client}`,
    `/subscriptions/${project.subscriptionId}`,
    `/schedules/${project.operationId}?client=${client}`,
    `/schedules/failed?client=${client}`,
    `/files/${project.fileId}`,
    `/files/assets?client=${client}`,
    "/files/presets",
    `/migrations/${project.migrationId}?client=${client}`,
    `/accounts/${project.accountId}`,
    `/erasures/${project.erasureId}`,
    `/campaigns/${project.campaignId}`,
    `/campaigns/ad-servers?campaign=${project.campaignId}`,
    `/search?q=${encodeURIComponent("<img src=x> is nowhere")}`,
  ];
}
