import { createHash, randomUUID } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { scopes } from "@platform/contracts/scopes";
import type { OpenCtl } from "@platform/stack/open-ctl";
import type { Stack } from "@platform/stack/stack";

const allScopes = scopes.join(",");

/** A project with one resource of each kind to which requests refer by id. The ids are stored by the name of the request's field. */
export type WalkedProject = { readonly clientId: string; readonly ids: Readonly<Record<string, string>> };

/** Creates a project with one resource of each kind. */
export async function createWalkedProject({ baseUrl, directory }: Stack, ctl: OpenCtl): Promise<WalkedProject> {
  const make = async <T extends object>(...args: string[]): Promise<T> => (await ctl.run(args)) as T;
  const id = async (...args: string[]): Promise<string> => (await make<{ id: string }>(...args)).id;
  const client = await id("clients", "create", "--name", "Walked", "--environment", "development");
  const issued = await make<{ id: string; credential: string }>(
    "credentials", "issue", "--client", client, "--scopes", allScopes,
  ); // biome-ignore format: one command
  const call = async (path: string, body: object, method = "POST"): Promise<Record<string, string>> => {
    const response = await fetch(`${baseUrl}/api/v1${path}`, {
      method,
      headers: {
        authorization: `Bearer ${issued.credential}`,
        "idempotency-key": randomUUID(),
        "content-type": "application/json",
      },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
    return ((await response.json()) as { data: Record<string, string> }).data;
  };
  const operation = await call("/scheduled-operations", {
    name: "walked", url: "https://example.com/hooks/walked", secret: randomUUID() + randomUUID(),
  }); // biome-ignore format: one body
  await call("/domain-events", { type: "walked.created", schema_version: 1, data: {} });
  const { invocation_id: invocation } = await make<{ invocation_id: string }>(
    "schedules", "invoke", "--operation", operation.id ?? "",
  ); // biome-ignore format: one command
  const transaction = await call("/identity-migration-transactions", {
    project_client_id: client,
    legacy_subject: `legacy-${randomUUID()}`,
    email: "person@example.com",
    locale: "en",
    correlation_id: randomUUID(),
    expires_at: new Date(Date.now() + 3_600_000).toISOString(),
  });
  const bytes = Buffer.from(randomUUID());
  const grant = await call("/file-objects/upload-grants", {
    expected_sha256: createHash("sha256").update(bytes).digest("hex"), expected_content_type: "text/plain", maximum_bytes: bytes.length,
  }); // biome-ignore format: one body
  const endpoint = await id(
    "endpoints",
    "link-line",
    "--client",
    client,
    "--user-id",
    `U${randomUUID().replaceAll("-", "")}`,
  );
  const profile = await id(
    "sender-profiles", "create", "--client", client, "--channel", "line", "--name", "walked",
    "--config", JSON.stringify({ channel_access_token: "walked", default_locale: "en" }),
  ); // biome-ignore format: one command
  const catalog = join(directory, `walked-${client}.yaml`);
  writeFileSync(
    catalog,
    "templates:\n  - {key: walked, channel: line, locale: en, subject: Hi, text: Hi, variables: {}}\n",
  );
  await ctl.run(["catalog", "apply", "--client", client, "--file", catalog]);
  await call(`/notification-endpoints/${endpoint}/consents/orders`, { granted: true }, "PUT");
  const intent = await call("/channel-notification-intents", {
    sender_profile_id: profile, template_key: "walked", locale: "en", endpoint_id: endpoint, variables: {}, purpose: "orders",
  }); // biome-ignore format: one body
  await ctl.run(["brands", "create", "--client", client, "--name", "Walked"]);
  const campaign = await id(
    "campaigns", "create", "--name", "Walked", "--currency", "JPY", "--cpm-minor", "250", "--budget-minor", "1000",
    "--destination-url", "https://example.com", "--client", client,
  ); // biome-ignore format: one command
  return {
    clientId: client,
    ids: {
      operation_id: operation.id ?? "",
      invocation_id: invocation,
      transaction_id: transaction.id ?? "",
      file_object_id: grant.file_object_id ?? "",
      // Publishing an asset requires an image and a scan, so this asset is inserted directly and belongs to no project.
      public_asset_id: randomUUID(),
      endpoint_id: endpoint,
      sender_profile_id: profile,
      delivery_id: intent.delivery_id ?? "",
      campaign_id: campaign,
      credential_id: issued.id,
      subscription_id: await id("subscriptions", "create", "--operation", operation.id ?? "", "--types", "*"),
      consumer_id: await id("consumers", "issue", "--client", client),
      ad_server_id: await id("ad-servers", "issue", "--campaign", campaign),
      contact_id: await id(
        "contacts",
        "add",
        "--client",
        client,
        "--email",
        "contact@example.com",
        "--kind",
        "technical",
      ),
      member_id: await id("members", "add", "--client", client, "--email", "spare@example.com", "--role", "reader"),
    },
  };
}
