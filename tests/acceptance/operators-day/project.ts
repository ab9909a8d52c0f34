import { createHash, generateKeyPairSync, randomBytes } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { exampleRequests } from "@platform/contracts/examples";
import { eventually } from "@platform/test-kit/eventually";
import { inTurns } from "../killed-work.ts";
import type { OwnStack } from "../own-stack.ts";

const scopes =
  "notifications:write,clients:read,audit:write,identity-migrations:write,files:write,files:read,events:write,schedules:write";

const catalog = `templates:
${["email", "apns"]
  .map(
    (channel) => `  - key: order-shipped
    channel: ${channel}
    locale: en
    subject: "Order shipped"
    text: "It left."
    variables: {}`,
  )
  .join("\n")}
`;

const onePixel = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

/** Creates the configuration of an APNs profile with its own key. */
export function apnsConfig(keyId: string): string {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const pem = privateKey.export({ type: "pkcs8", format: "pem" }).toString();
  return JSON.stringify({ team_id: "TEAM123456", key_id: keyId, topic: "example.shop", private_key: pem });
}

/** The resources for which an operator searches, one of each kind, which a project's own requests have created. */
export type DayProject = Awaited<ReturnType<typeof makeProject>>;

/** Creates a project that has used every part of the platform. */
export async function makeProject(own: OwnStack) {
  const client = await own.newClient("development", scopes);
  const { ctl, stack } = own;
  const make = (method: string, path: string, body?: unknown) => own.make(method, path, client.credential, body);
  const of = ["--client", client.id];

  const catalogPath = join(stack.directory, "day-catalog.yaml");
  await writeFile(catalogPath, catalog);
  await ctl(["catalog", "apply", ...of, "--file", catalogPath]);
  const profile = async (channel: string, config: string): Promise<string> =>
    (await ctl(["sender-profiles", "create", ...of, "--channel", channel, "--name", channel, "--config", config])).id;
  const emailProfileId = await profile("email", JSON.stringify({ from: "Shop <shop@shop.example>" }));
  const apnsProfileId = await profile("apns", apnsConfig("FIRSTKEY01"));

  const address = "ann@people.example";
  const endpoint = await make("POST", "/email-delivery-endpoints", { address });
  await make("POST", `/email-delivery-endpoints/${endpoint.id}/verify`, { token: endpoint.verification_token });
  const intent = await make("POST", "/notification-intents", {
    sender_profile_id: emailProfileId,
    endpoint_id: endpoint.id,
    template_key: "order-shipped",
    locale: "en",
    variables: {},
  });
  await eventually(async () => {
    const { status } = await make("GET", `/notification-deliveries/${intent.delivery_id}`);
    return status === "sent";
  });

  const account = await ctl(
    ["accounts", "create", "--email", address, "--password-stdin", "--verified"],
    {},
    "correct horse battery",
  );
  await ctl(["sessions", "create", "--account", account.id]);
  await make("POST", "/identity-migration-transactions", {
    ...exampleRequests["identity.createIdentityMigrationTransaction"].body,
    project_client_id: client.id,
    legacy_subject: "member-ann",
    email: address,
    expires_at: new Date(Date.now() + 3_600_000).toISOString(),
  });

  const grant = await make("POST", "/file-objects/upload-grants", {
    expected_sha256: createHash("sha256").update(onePixel).digest("hex"),
    expected_content_type: "image/png",
    maximum_bytes: onePixel.byteLength,
  });
  const upload = { method: "PUT", headers: { "content-type": "image/png" }, body: onePixel };
  await fetch(`${stack.baseUrl}/api/v1/file-uploads/${grant.upload_token}`, upload);
  const file = `/file-objects/${grant.file_object_id}`;
  await eventually(async () => (await make("POST", `${file}/complete`)).status === "available");
  const size = ["--max-width", "64", "--max-height", "64", "--quality", "80"];
  const preset = await ctl(["image-presets", "create", "--name", "day", "--format", "webp", ...size]);
  const picture = await make("POST", `${file}/public-assets`, { image_preset_id: preset.id });

  const operation = await make("POST", "/scheduled-operations", {
    name: "nightly",
    url: "http://127.0.0.1:9/hook",
    secret: randomBytes(32).toString("hex"),
    max_attempts: 1,
  });
  const { invocation_id: run } = await ctl(["schedules", "invoke", "--operation", operation.id]);
  await eventually(
    async () => {
      const runs = await ctl(["schedules", "runs", "--operation", operation.id]);
      return runs.find(({ id }: { id: string }) => id === run)?.status === "failed";
    },
    { timeoutMs: 60_000, what: "the run failed" },
  );
  const audit = (n: number) => ({
    actor_id: `user:${n % 7}`, action: "order.placed", resource_type: "order", resource_id: `order-${n}`, outcome: "succeeded",
  }); // biome-ignore format: one line
  await inTurns(300, (n) => make("POST", "/project-audits", audit(n)));
  const budget = ["--currency", "JPY", "--cpm-minor", "250", "--budget-minor", "1000"];
  const campaign = await ctl([
    "campaigns",
    "create",
    ...of,
    "--name",
    "Day",
    ...budget,
    "--destination-url",
    "https://example.com/",
  ]);
  await ctl(["consumers", "issue", ...of]);
  await ctl(["ad-servers", "issue", "--campaign", campaign.id]);
  return {
    client,
    address,
    emailProfileId,
    apnsProfileId,
    endpointId: endpoint.id as string,
    accountId: account.id as string,
    assetUrl: picture.url as string,
    operationId: operation.id as string,
    campaignId: campaign.id as string,
    make,
    /** Registers and verifies a device. Its pushes then arrive under its token. */
    device: async (): Promise<{ endpointId: string; token: string }> => {
      const token = randomBytes(32).toString("hex");
      const { id } = await make("POST", "/notification-endpoints", { channel: "apns", identifier: token });
      const proof = await eventually(async () => {
        const [push] = await arrived(own, "apns", token);
        return /"token"\s*:\s*"([0-9a-f]{64})"/.exec(push?.raw ?? "")?.[1];
      });
      await make("POST", `/notification-endpoints/${id}/verify`, { token: proof });
      await make("PUT", `/notification-endpoints/${id}/consents/orders`, { granted: true });
      return { endpointId: id, token };
    },
  };
}

type Arrived = { raw: string; answered_status: number | null; headers: Record<string, string> };

/** Returns the messages that the provider sink received for an address. */
export async function arrived({ stack }: OwnStack, channel: string, to: string): Promise<Arrived[]> {
  const response = await fetch(`${stack.settings.SINK_URL}/messages?channel=${channel}&to=${encodeURIComponent(to)}`);
  return (await response.json()) as Arrived[];
}
