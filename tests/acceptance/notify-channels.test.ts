import { generateKeyPairSync, randomBytes } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { eventually } from "@platform/test-kit/eventually";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { arrived, newPushSubscription, setFault } from "./notify-sink.ts";
import { acceptanceStack, type TestClient } from "./stack.ts";

const { api, ctl } = acceptanceStack;

const catalog = `
templates:
${["email", "fcm", "apns", "line", "web_push"]
  .map(
    (channel) => `
  - key: shipped
    channel: ${channel}
    locale: en
    subject: "Order {{ number }}"
    text: "Dear {{ name }}, it left."
    ${channel === "email" ? 'html: "<p>Dear <b>{{ name }}</b>, it left.</p>"' : ""}
    variables: {number: integer, name: string}`,
  )
  .join("")}
`;

let client: TestClient;
let directory: string;
const profiles: Record<string, string> = {};
const vapid = generateVapidKeys();

beforeAll(async () => {
  client = await acceptanceStack.newClient();
  directory = await mkdtemp(join(tmpdir(), "notify-acceptance-"));
  const file = join(directory, "catalog.yaml");
  await writeFile(file, catalog);
  const applied = await ctl(["catalog", "apply", "--client", client.id, "--file", file]);
  expect(applied.added).toHaveLength(5);
  for (const [channel, config] of Object.entries(configs())) {
    const { id } = await ctl([
      "sender-profiles", "create", "--client", client.id, "--channel", channel, "--name", channel, "--config", JSON.stringify(config),
    ]); // biome-ignore format: one command
    profiles[channel] = id;
  }
});
afterAll(() => rm(directory, { recursive: true, force: true }));

function configs(): Record<string, object> {
  const rsa = generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey;
  const ec = generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey;
  const pem = (key: typeof rsa): string => key.export({ type: "pkcs8", format: "pem" }).toString();
  return {
    email: { from: "Shop <no-reply@shop.example>" },
    fcm: { project_id: "demo", client_email: "sender@demo.example", private_key: pem(rsa) },
    apns: { team_id: "TEAM123456", key_id: "KEY1234567", topic: "example.shop", private_key: pem(ec) },
    line: { channel_access_token: "token" },
    web_push: { subject: "mailto:ops@shop.example", public_key: vapid.publicKey, private_key: vapid.privateKey },
  };
}

function generateVapidKeys(): { publicKey: string; privateKey: string } {
  const {
    x = "",
    y = "",
    d = "",
  } = generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey.export({ format: "jwk" });
  const point = Buffer.concat([Buffer.from([4]), Buffer.from(x, "base64url"), Buffer.from(y, "base64url")]);
  return { publicKey: point.toString("base64url"), privateKey: d };
}

const call = (method: string, path: string, body?: unknown) =>
  api(method, path, { credential: client.credential, body });

/** Waits until the delivery is sent or failed. */
async function finished(deliveryId: string) {
  return eventually(
    async () => {
      const { json } = await call("GET", `/notification-deliveries/${deliveryId}`);
      return json.data.status === "sent" || json.data.status === "failed" ? json.data : null;
    },
    { timeoutMs: 60_000 },
  );
}

async function registered(channel: string): Promise<{ endpointId: string; to: string }> {
  const subscription = channel === "web_push" ? await newPushSubscription(vapid.publicKey) : null;
  const identifier = subscription === null ? randomBytes(32).toString("hex") : JSON.stringify(subscription);
  const to = subscription === null ? identifier : String(subscription.endpoint);
  const { status, json } = await call("POST", "/notification-endpoints", { channel, identifier });
  expect(status).toBe(200);
  expect(json.data).toEqual({ id: json.data.id, channel, status: "pending", verified_at: null, consents: [] });
  return { endpointId: json.data.id, to };
}

async function verified(channel: string): Promise<{ endpointId: string; to: string }> {
  const { endpointId, to } = await registered(channel);
  const [push] = await arrived(channel, to);
  const token = /"type":"endpoint_verification","token":"([0-9a-f]{64})"/.exec(JSON.stringify(push?.parsed))?.[1];
  const { status, json } = await call("POST", `/notification-endpoints/${endpointId}/verify`, { token });
  expect([status, json.data.status]).toEqual([200, "verified"]);
  return { endpointId, to };
}

const intent = (channel: string, endpointId: string) => ({
  sender_profile_id: profiles[channel],
  endpoint_id: endpointId,
  template_key: "shipped",
  locale: "en",
  variables: { number: 7, name: "Ann" },
});

describe("a push channel, over HTTP alone", () => {
  it.each(["fcm", "apns", "web_push"])(
    "%s: registers, verifies by the delivered token, consents, sends and revokes",
    async (channel) => {
      const { endpointId, to } = await verified(channel);
      const body = { ...intent(channel, endpointId), purpose: "orders" };
      const early = await call("POST", "/channel-notification-intents", body);
      expect([early.status, early.json.error.code]).toEqual([422, "consent_required"]);
      const consent = await call("PUT", `/notification-endpoints/${endpointId}/consents/orders`, { granted: true });
      expect(consent.json.data.consents).toEqual([{ purpose: "orders", granted: true }]);

      const { json } = await call("POST", "/channel-notification-intents", body);
      expect(json.data).toMatchObject({ status: "pending" });
      expect(await finished(json.data.delivery_id)).toEqual({
        id: json.data.delivery_id,
        channel,
        status: "sent",
        attempts: 1,
        provider_status: "accepted",
        last_error_code: null,
      });
      const messages = await arrived(channel, to, 2);
      expect(JSON.stringify(messages[1]?.parsed)).toContain("Dear Ann, it left.");

      const revoked = await call("DELETE", `/notification-endpoints/${endpointId}`);
      expect(revoked.json.data).toMatchObject({ status: "revoked", consents: [{ purpose: "orders", granted: false }] });
      const late = await call("POST", "/channel-notification-intents", body);
      expect([late.status, late.json.error.code]).toEqual([422, "delivery_endpoint_revoked"]);
    },
  );

  it("line: links a user by an operator, and sends under the delivery's retry key", async () => {
    const userId = `U${randomBytes(16).toString("hex")}`;
    const { id } = await ctl(["endpoints", "link-line", "--client", client.id, "--user-id", userId]);
    await call("PUT", `/notification-endpoints/${id}/consents/orders`, { granted: true });
    const { json } = await call("POST", "/channel-notification-intents", { ...intent("line", id), purpose: "orders" });
    expect(await finished(json.data.delivery_id)).toMatchObject({ channel: "line", status: "sent" });
    const [message] = await arrived("line", userId);
    expect(message?.headers["x-line-retry-key"]).toBe(json.data.delivery_id);
    expect((await call("GET", `/notification-endpoints/${id}`)).json.data).toMatchObject({ channel: "line" });
  });

  it("revokes the endpoint of a dead address and does not try it again", async () => {
    const { endpointId, to } = await verified("apns");
    await call("PUT", `/notification-endpoints/${endpointId}/consents/orders`, { granted: true });
    await setFault({ channel: "apns", to, kind: "unregistered", times: 5 });
    const { json } = await call("POST", "/channel-notification-intents", {
      ...intent("apns", endpointId),
      purpose: "orders",
    });
    expect(await finished(json.data.delivery_id)).toMatchObject({
      status: "failed",
      attempts: 1,
      last_error_code: "apns_unregistered",
    });
    expect((await call("GET", `/notification-endpoints/${endpointId}`)).json.data.status).toBe("revoked");
    expect(await arrived("apns", to, 2)).toHaveLength(2);
  });
});

describe("mail, over HTTP alone", () => {
  async function verifiedMail(): Promise<{ endpointId: string; address: string }> {
    const address = `ann-${randomBytes(6).toString("hex")}@people.example`;
    const { json } = await call("POST", "/email-delivery-endpoints", { address: ` ${address.toUpperCase()} ` });
    expect(json.data).toMatchObject({ status: "pending", verification_token: expect.stringMatching(/^[0-9a-f]{64}$/) });
    const { id, verification_token: token } = json.data;
    const verify = await call("POST", `/email-delivery-endpoints/${id}/verify`, { token });
    expect(verify.json.data).toEqual({ id, status: "verified" });
    const again = await call("POST", "/email-delivery-endpoints", { address });
    expect(again.json.data).toEqual({ id, status: "verified", verification_token: null });
    return { endpointId: id, address };
  }

  it("sends email whose one-click unsubscribe works through the gateway", async () => {
    const { endpointId, address } = await verifiedMail();
    const body = { ...intent("email", endpointId), marketing_purpose: "news" };
    const { json } = await call("POST", "/notification-intents", body);
    expect(await finished(json.data.delivery_id)).toMatchObject({ channel: "email", status: "sent", attempts: 1 });
    const [mail] = await arrived("email", address);
    const link = /^<(.+)>$/.exec(mail?.headers["list-unsubscribe"] ?? "")?.[1] ?? "";
    expect(link.startsWith(`${acceptanceStack.baseUrl}/api/v1/unsubscribe/`)).toBe(true);

    const page = await fetch(link, { headers: { "accept-language": "ja" } });
    expect([page.status, page.headers.get("content-security-policy")?.includes("default-src 'none'")]).toEqual([
      200,
      true,
    ]);
    expect(await page.text()).toContain("配信停止");
    const click = await fetch(link, {
      method: "POST",
      headers: { "content-type": "application/x-www-form-urlencoded" },
      body: "List-Unsubscribe=One-Click",
    });
    expect(click.status).toBe(200);
    const refused = await call("POST", "/notification-intents", body);
    expect([refused.status, refused.json.error.code]).toEqual([422, "consent_withdrawn"]);
    const plain = await call("POST", "/notification-intents", intent("email", endpointId));
    expect(await finished(plain.json.data.delivery_id)).toMatchObject({ status: "sent" });
  });

  it("shows a failed delivery to an operator, who retries it", async () => {
    const { endpointId, address } = await verifiedMail();
    await setFault({ channel: "email", to: address, status: 550 });
    const { json } = await call("POST", "/notification-intents", intent("email", endpointId));
    const deliveryId = json.data.delivery_id;
    expect(await finished(deliveryId)).toMatchObject({ status: "failed", last_error_code: "smtp_550" });
    const shown = await ctl(["deliveries", "show", "--delivery", deliveryId]);
    expect(shown).toMatchObject({ id: deliveryId, attempt_log: [{ attempt: 1, error_code: "smtp_550" }] });
    expect(JSON.stringify(shown)).not.toContain(address);
    await ctl(["deliveries", "retry", "--delivery", deliveryId]);
    expect(await finished(deliveryId)).toMatchObject({ status: "sent" });
    await expect(ctl(["deliveries", "retry", "--delivery", deliveryId])).rejects.toThrow(/only failed deliveries/);
  });

  it("spends one delivery for an intent, but none for a replay or a rejection", async () => {
    const { endpointId } = await verifiedMail();
    const used = async (): Promise<number> => {
      const rows: { resource: string; used: number }[] = await ctl(["quotas", "show", "--client", client.id]);
      return rows.find(({ resource }) => resource === "deliveries")?.used ?? 0;
    };
    const before = await used();
    const request = { credential: client.credential, idempotencyKey: "once", body: intent("email", endpointId) };
    const first = await api("POST", "/notification-intents", request);
    const second = await api("POST", "/notification-intents", request);
    expect(second.text).toBe(first.text);
    expect(second.headers.get("idempotency-replayed")).toBe("true");
    const refused = await call("POST", "/notification-intents", {
      ...intent("email", endpointId),
      template_key: "nope",
    });
    expect(refused.json.error.code).toBe("template_not_found");
    expect(await used()).toBe(before + 1);
  });
});

describe("catalog validation", () => {
  const entry = {
    event_key: "order.shipped",
    template_key: "shipped",
    channel: "email",
    purpose: "orders",
    locale: "en",
    sender_profile: "main",
    variables: { number: "integer", name: "string" },
  };

  it("returns one digest for any order of entries", async () => {
    const other = { ...entry, locale: "ja" };
    const digestOf = async (entries: object[]) =>
      (await call("POST", "/notification-catalog/validate", { entries })).json.data;
    const one = await digestOf([entry, other]);
    expect(one).toEqual({ entries: 2, digest: expect.stringMatching(/^[0-9a-f]{64}$/) });
    expect(await digestOf([other, entry])).toEqual(one);
    expect((await digestOf([entry])).digest).not.toBe(one.digest);
  });

  it("refuses two entries of one name", async () => {
    const { status, json } = await call("POST", "/notification-catalog/validate", { entries: [entry, entry] });
    expect([status, json.error.code]).toEqual([422, "contract_violation"]);
    expect(json.error.details.violations[0].path).toBe("/entries/1");
  });
});
