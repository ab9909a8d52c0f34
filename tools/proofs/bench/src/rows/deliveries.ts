import { randomBytes } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Platform } from "../platform.ts";
import { httpLoad } from "./contenders.ts";

/** One channel over SMTP and one over HTTP. Their endpoints can be created without a person. */
export const channels = ["email", "line"] as const;
export type Channel = (typeof channels)[number];

const endpointCount = 50;

/**
 * Creates a sender profile, a template and verified endpoints for a channel. Returns a function that requests
 * deliveries to the endpoints.
 */
export async function prepareDeliveries(platform: Platform, channel: Channel) {
  const { ctl, request, port, credential, projectClientId: client, stack } = platform;
  const smtp = `smtp://127.0.0.1:${stack.ports.sinkSmtp}`;
  const config =
    channel === "email" ? { from: "Shop <no-reply@shop.example>", smtp_url: smtp } : { channel_access_token: "token" };
  const profile = await ctl<{ id: string }>(
    ...["sender-profiles", "create", "--client", client, "--channel", channel, "--name", `bench-${channel}`],
    ...["--config", JSON.stringify(config)],
  );
  await applyTemplates(platform);
  const endpoint = async () => {
    if (channel === "line") {
      const userId = `U${randomBytes(16).toString("hex")}`;
      const linked = await ctl<{ id: string }>("endpoints", "link-line", "--client", client, "--user-id", userId);
      await request("PUT", `/notification-endpoints/${linked.id}/consents/bench`, { granted: true });
      return { id: linked.id, address: userId };
    }
    const address = `bench-${randomBytes(8).toString("hex")}@people.example`;
    const made = await request("POST", "/email-delivery-endpoints", { address });
    await request("POST", `/email-delivery-endpoints/${made.id}/verify`, { token: made.verification_token });
    return { id: made.id, address };
  };
  const endpoints: { id: string | undefined; address: string }[] = [];
  for (let index = 0; index < (channel === "line" ? 4 : endpointCount); index += 1) endpoints.push(await endpoint());
  const bodies = endpoints.map(({ id }) =>
    JSON.stringify({
      sender_profile_id: profile.id,
      endpoint_id: id,
      template_key: "bench",
      locale: "en",
      variables: { name: "Ann", number: 7 },
      ...(channel === "email" ? {} : { purpose: "bench" }),
    }),
  );
  const path = `/api/v1/${channel === "email" ? "notification-intents" : "channel-notification-intents"}`;
  const load = httpLoad({ port, path, credential, body: bodies[0] ?? "", hasKey: true });
  return {
    addresses: endpoints.map(({ address }) => address),
    /** Requests deliveries to one endpoint as fast as they are accepted. */
    load,
    /** Requests this many deliveries, round robin over the endpoints. */
    loadOf: (count: number) => {
      const some = Array.from({ length: count }, (_, index) => bodies[index % bodies.length] ?? "");
      return { ...load, bodies: some, durationMs: 600_000 };
    },
  };
}

async function applyTemplates({ ctl, projectClientId }: Platform): Promise<void> {
  const templates = channels.map((channel) => ({
    key: "bench",
    channel,
    locale: "en",
    subject: "Order {{ number }}",
    text: "Dear {{ name }}, order {{ number }} left.",
    variables: { name: "string", number: "integer" },
  }));
  const directory = await mkdtemp(join(tmpdir(), "bench-catalog-"));
  const file = join(directory, "catalog.yaml");
  await writeFile(file, JSON.stringify({ templates }));
  await ctl("catalog", "apply", "--client", projectClientId, "--file", file);
  await rm(directory, { recursive: true });
}

/** Returns the number of messages that the sink has stored. */
export async function arrivedCount(sinkUrl: string): Promise<number> {
  const totals = (await (await fetch(`${sinkUrl}/counts`)).json()) as Record<string, number>;
  return Object.values(totals).reduce((sum, each) => sum + each, 0);
}
