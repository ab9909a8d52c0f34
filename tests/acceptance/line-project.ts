import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { eventually } from "@platform/test-kit/eventually";
import type { OwnStack } from "./own-stack.ts";

const scopes =
  "notifications:write,clients:read,audit:write,events:write,files:write,files:read,identity-migrations:write";

/**
 * Creates a project with one LINE user and a delivery to that user. LINE accepts each delivery once, even if it is sent again after a crash.
 */
export async function makeLineProject(
  own: OwnStack,
): Promise<{ client: Awaited<ReturnType<OwnStack["newClient"]>>; endpointId: string }> {
  const client = await own.newClient("development", scopes);
  const of = ["--client", client.id];
  const config = JSON.stringify({ channel_access_token: "token" });
  const { id: profileId } = await own.ctl([
    "sender-profiles", "create", ...of, "--channel", "line", "--name", "line", "--config", config,
  ]); // biome-ignore format: one command
  const { id: endpointId } = await own.ctl(["endpoints", "link-line", ...of, "--user-id", `U${"4af49806".repeat(4)}`]);
  const catalog = join(own.stack.directory, "catalog.yaml");
  await writeFile(
    catalog,
    "templates: [{key: hello, channel: line, locale: en, subject: Hello, text: Hello, variables: {}}]",
  );
  await own.ctl(["catalog", "apply", ...of, "--file", catalog]);
  await own.make("PUT", `/notification-endpoints/${endpointId}/consents/orders`, client.credential, { granted: true });
  const intent = await own.make("POST", "/channel-notification-intents", client.credential, {
    sender_profile_id: profileId,
    endpoint_id: endpointId,
    template_key: "hello",
    locale: "en",
    variables: {},
    purpose: "orders",
  });
  await eventually(async () => {
    const path = `/notification-deliveries/${intent.delivery_id}`;
    return (await own.make("GET", path, client.credential)).status === "sent";
  });
  return { client, endpointId };
}
