import { createHash, createVerify } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  callOf,
  dkimKeys,
  finished,
  type NotifyStack,
  prepareClient,
  send,
  startNotifyStack,
  verifiedEndpoint,
} from "./notify-stack.ts";

let stack: NotifyStack;
beforeAll(async () => {
  stack = await startNotifyStack();
  await stack.startWorker();
});
afterAll(() => stack.close());

/** Sends one email and returns it as the mail server received it. */
async function mailOf(more: { variables?: Record<string, unknown>; marketingPurpose?: string } = {}) {
  const { clientId, profileId } = await prepareClient(stack, "email");
  const { endpointId, address } = await verifiedEndpoint(stack, "email", clientId);
  const deliveryId = await send(stack, "email", { clientId, profileId, endpointId }, more);
  await finished(stack, clientId, deliveryId);
  const [message] = await stack.sink.messages({ channel: "email", to: address });
  if (message === undefined) throw new Error("no mail arrived");
  return { message, clientId, profileId, endpointId, deliveryId, address };
}

/** Verifies a DKIM signature by RFC 6376 with relaxed canonicalization of header and body; returns the signed header names. */
function verifyDkim(raw: string, publicKey: string): string[] {
  const end = raw.indexOf("\r\n\r\n");
  const fields = raw.slice(0, end).split(/\r\n(?![ \t])/);
  const body = raw.slice(end + 4);
  const relaxed = (field: string): string => {
    const colon = field.indexOf(":");
    const value = field
      .slice(colon + 1)
      .replace(/\r\n/g, "")
      .replace(/[ \t]+/g, " ")
      .trim();
    return `${field.slice(0, colon).trim().toLowerCase()}:${value}`;
  };
  const signature = fields.find((field) => /^dkim-signature:/i.test(field)) ?? "";
  const tags = new Map(
    relaxed(signature)
      .slice("dkim-signature:".length)
      .split(";")
      .map((tag) => [tag.slice(0, tag.indexOf("=")).trim(), tag.slice(tag.indexOf("=") + 1).trim()] as const),
  );
  const lines = body.split("\r\n").map((line) => line.replace(/[ \t]+/g, " ").replace(/ $/, ""));
  const canonicalBody = `${lines.join("\r\n").replace(/(\r\n)+$/, "")}\r\n`;
  const bodyHash = createHash("sha256").update(canonicalBody, "utf8").digest("base64");
  expect(tags.get("bh")?.replaceAll(" ", "")).toBe(bodyHash);
  const names = (tags.get("h") ?? "").replaceAll(" ", "").toLowerCase().split(":");
  const left = fields.map(relaxed);
  const signed = names.flatMap((name) => {
    const index = left.findLastIndex((field) => field.startsWith(`${name}:`));
    return index < 0 ? [] : left.splice(index, 1);
  });
  const unsigned = relaxed(signature).replace(/b=[^;]*$/, "b=");
  const verifier = createVerify("RSA-SHA256").update([...signed, unsigned].join("\r\n"));
  expect(verifier.verify(publicKey, (tags.get("b") ?? "").replaceAll(" ", ""), "base64")).toBe(true);
  expect(tags.get("d")).toBe("shop.example");
  return names;
}

describe("an email as the mail server receives it", () => {
  it("signs email by DKIM, including both List-Unsubscribe headers", async () => {
    const { message } = await mailOf({ marketingPurpose: "news" });
    const signed = verifyDkim(message.raw, dkimKeys.publicKey);
    expect(signed).toEqual(
      expect.arrayContaining([
        "from",
        "to",
        "subject",
        "date",
        "message-id",
        "list-unsubscribe",
        "list-unsubscribe-post",
      ]),
    );
  });

  it("sends text and HTML with its own Message-ID, and no unsubscribe link without a marketing purpose", async () => {
    const { message, deliveryId } = await mailOf();
    verifyDkim(message.raw, dkimKeys.publicKey);
    expect(message.headers["message-id"]).toBe(`<${deliveryId}@shop.example>`);
    expect(message.headers["auto-submitted"]).toBe("auto-generated");
    expect(message.headers["list-unsubscribe"]).toBeUndefined();
    expect(message.parsed).toMatchObject({
      from: { name: "Shop", address: "no-reply@shop.example" },
      replyTo: [{ address: "help@shop.example" }],
      subject: "Order 7",
    });
    expect(message.parsed.text.trim()).toBe("Dear Ann, order 7 left.");
    expect(message.parsed.html).toContain("<b>Ann</b>");
  });

  it("keeps an injected variable inside its text (header and HTML injection)", async () => {
    const name = "Ann\r\nBcc: everyone@people.example\r\n\r\n<script>alert(1)</script>";
    const { message } = await mailOf({ variables: { number: 7, name } });
    expect(message.headers.bcc).toBeUndefined();
    expect(message.parsed.envelope.rcpt_to).toHaveLength(1);
    expect(message.parsed.html).not.toContain("<script>");
    verifyDkim(message.raw, dkimKeys.publicKey);
  });
});

describe("one-click unsubscribe (RFC 8058)", () => {
  const linkOf = (headers: Record<string, string>): string =>
    /^<https:\/\/gateway\.example(\/api\/v1\/unsubscribe\/[0-9a-f]{64})>$/.exec(
      headers["list-unsubscribe"] ?? "",
    )?.[1] ?? "";
  const oneClick = {
    method: "POST",
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: "List-Unsubscribe=One-Click",
  };

  it("unsubscribes only that endpoint and purpose, immediately and for queued email", async () => {
    const { message, ...ids } = await mailOf({ marketingPurpose: "news" });
    expect(message.headers["list-unsubscribe-post"]).toBe("List-Unsubscribe=One-Click");
    const response = await fetch(stack.httpUrl + linkOf(message.headers), oneClick);
    expect(response.status).toBe(200);
    await expect(send(stack, "email", ids, { marketingPurpose: "news" })).rejects.toMatchObject({
      code: "consent_withdrawn",
    });
    for (const more of [{ marketingPurpose: "other" }, {}]) {
      const deliveryId = await send(stack, "email", ids, more);
      expect(await finished(stack, ids.clientId, deliveryId)).toMatchObject({ status: "sent" });
    }
  });

  it("does not unsubscribe on GET or HEAD, and shows a page with a button on GET", async () => {
    const { message, ...ids } = await mailOf({ marketingPurpose: "<b>news</b>" });
    const url = stack.httpUrl + linkOf(message.headers);
    const page = await fetch(url);
    expect([page.status, page.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
    const text = await page.text();
    expect(text).toContain('<form method="post">');
    expect(text).toContain("&lt;b&gt;news&lt;/b&gt;");
    expect(text).not.toContain("<script");
    expect((await fetch(url, { method: "HEAD" })).status).toBe(200);
    const deliveryId = await send(stack, "email", ids, { marketingPurpose: "<b>news</b>" });
    expect(await finished(stack, ids.clientId, deliveryId)).toMatchObject({ status: "sent" });
  });

  it("shows the page in Japanese to Japanese readers, and confirms the unsubscription", async () => {
    const { message } = await mailOf({ marketingPurpose: "news" });
    const url = stack.httpUrl + linkOf(message.headers);
    const headers = { "accept-language": "ja,en;q=0.8" };
    expect(await (await fetch(url, { headers })).text()).toContain('<html lang="ja">');
    await fetch(url, oneClick);
    expect(await (await fetch(url, { headers })).text()).toContain("配信を停止しました");
  });

  it("returns 404 with the correlation id for an unknown link, and 405 for other methods", async () => {
    const url = `${stack.httpUrl}/api/v1/unsubscribe/${"0".repeat(64)}`;
    const correlationId = "0190b3a4-0000-7000-8000-000000000000";
    const response = await fetch(url, { ...oneClick, headers: { "x-correlation-id": correlationId } });
    expect(response.status).toBe(404);
    expect(await response.text()).toContain(correlationId);
    expect((await fetch(url, { method: "PUT" })).status).toBe(405);
    expect((await fetch(`${stack.httpUrl}/api/v1/unsubscribe/%00`)).status).toBe(404);
  });
});

describe("a mail server", () => {
  it("sends the user name and the password only over TLS", async () => {
    const url = stack.sink.smtpUrl.replace("smtp://", "smtp://sender:s%40cret@");
    const { clientId, profileId } = await prepareClient(stack, "email", { smtp_url: url });
    const { endpointId, address } = await verifiedEndpoint(stack, "email", clientId);
    const deliveryId = await send(stack, "email", { clientId, profileId, endpointId });
    expect(await finished(stack, clientId, deliveryId)).toMatchObject({ status: "sent" });
    const [message] = await stack.sink.messages({ channel: "email", to: address });
    expect(message?.parsed.envelope).toMatchObject({
      tls: true,
      auth: { method: "PLAIN", username: "sender", password: "s@cret" },
    });
  });

  it("connects with TLS from the start for smtps", async () => {
    const { clientId, profileId } = await prepareClient(stack, "email", { smtp_url: stack.sink.smtpsUrl });
    const { endpointId } = await verifiedEndpoint(stack, "email", clientId);
    const deliveryId = await send(stack, "email", { clientId, profileId, endpointId });
    expect(await finished(stack, clientId, deliveryId)).toMatchObject({ status: "sent" });
  });

  it("does not reveal the mail server's name to callers", async () => {
    const { clientId, profileId } = await prepareClient(stack, "email", { smtp_url: "smtp://127.0.0.1:1" });
    const { endpointId } = await verifiedEndpoint(stack, "email", clientId);
    const deliveryId = await send(stack, "email", { clientId, profileId, endpointId });
    expect(await finished(stack, clientId, deliveryId)).toEqual({
      status: "failed",
      attempts: 8,
      providerStatus: "no_answer",
      lastErrorCode: "provider_unreachable",
    });
    const { delivery } = await stack.admin.showDelivery({ deliveryId }, callOf(clientId));
    expect(delivery?.attemptLog).toHaveLength(8);
  });
});
