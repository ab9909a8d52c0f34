import { randomBytes } from "node:crypto";
import { type ProviderSink, startProviderSink } from "@platform/provider-sink";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import {
  callOf,
  finished,
  type NotifyStack,
  prepareClient,
  send,
  startNotifyStack,
  verifiedEndpoint,
} from "./notify-stack.ts";

let stack: NotifyStack;
/** A mail server that does not support SMTPUTF8. */
let plainServer: ProviderSink;
beforeAll(async () => {
  stack = await startNotifyStack();
  plainServer = await startProviderSink({ smtpUtf8: false });
  await stack.startWorker();
});
beforeEach(() => stack.sink.clearFaults());
afterAll(async () => {
  await stack.close();
  await plainServer.close();
});

/** Sends one email through a profile. Returns the delivery, and the email that the sink received. */
async function mailThrough(
  sink: ProviderSink,
  profile: Record<string, unknown>,
  more: {
    to?: string;
    variables?: Record<string, unknown>;
    marketingPurpose?: string;
    subject?: string;
    headers?: Record<string, string>;
  } = {},
) {
  const { clientId, profileId } = await prepareClient(stack, "email", { smtp_url: sink.smtpUrl, ...profile });
  const { subject = "s", headers = {} } = more;
  const template = { key: "shipped", channel: "email", locale: "en", subject, text: "t", mail: { headers } };
  const variables = { number: "integer", name: "string" };
  await stack.admin.applyCatalog(
    { projectClientId: clientId, templates: [{ ...template, variables }] },
    callOf(clientId),
  );
  const { endpointId, address } = await verifiedEndpoint(stack, "email", clientId, more.to);
  const delivery = await finished(
    stack,
    clientId,
    await send(stack, "email", { clientId, profileId, endpointId }, more),
  );
  const [message] = await sink.messages({ channel: "email", to: address });
  const head = message?.raw.split("\r\n\r\n")[0]?.replace(/\r\n[ \t]+/g, " ") ?? "";
  const header = (name: string): string | undefined =>
    new RegExp(`^${name}: (.*)$`, "im").exec(head.replaceAll("\r", ""))?.[1];
  return { delivery, message, head, header };
}

const fresh = (prefix: string): string => `${prefix}${randomBytes(4).toString("hex")}`;

describe("the sender of an email", () => {
  it.each([
    ["Acme: News", "news@s.example", '"Acme: News" <news@s.example>'],
    ['5" Pizza', "pizza@s.example", '"5\\" Pizza" <pizza@s.example>'],
    ["News; daily", "news@s.example", '"News; daily" <news@s.example>'],
    ["Shop, Inc.", "shop@s.example", '"Shop, Inc." <shop@s.example>'],
    ["I <3 you", "shop@s.example", '"I <3 you" <shop@s.example>'],
    ["Ann <ann@other.example>", "shop@s.example", '"Ann <ann@other.example>" <shop@s.example>'],
  ])("keeps the name %s as one quoted name and the address in envelope and header", async (name, address, expected) => {
    const text = `${name} <${address}>`;
    const { message, header } = await mailThrough(stack.sink, { from: text, reply_to: text });
    expect(message?.parsed.envelope.mail_from).toBe(address);
    expect([header("From"), header("Reply-To")]).toEqual([expected, expected]);
    expect(message?.parsed.from).toEqual({ name, address });
  });

  it.each(["=?UTF-8?B?SGVsbG8=?=", "Support =?utf-8?q?=41?="])(
    "keeps the name %s literal although it looks like an encoded word (header spoofing)",
    async (name) => {
      const text = `${name} <news@s.example>`;
      const { message, header } = await mailThrough(stack.sink, { from: text, reply_to: text });
      const encoded = expect.stringMatching(/^=\?UTF-8\?B\?[A-Za-z0-9+/=]+\?= <news@s\.example>$/);
      expect([header("From"), header("Reply-To")]).toEqual([encoded, encoded]);
      expect(message?.parsed.from).toEqual({ name, address: "news@s.example" });
      expect(message?.parsed.envelope.mail_from).toBe("news@s.example");
    },
  );

  it("refuses a second address in from or reply_to on creation and on update", async () => {
    const { profileId } = await prepareClient(stack, "email");
    for (const field of ["from", "reply_to"]) {
      const changesJson = JSON.stringify({ [field]: "a@s.example, b@s.example" });
      await expect(prepareClient(stack, "email", JSON.parse(changesJson))).rejects.toMatchObject({
        code: "contract_violation",
        details: { violations: [{ path: "/config", message: expect.stringContaining(field) }] },
      });
      await expect(
        stack.profileAdmin.updateSenderProfile({ senderProfileId: profileId, changesJson }, callOf("")),
      ).rejects.toMatchObject({ code: "contract_violation" });
    }
  });
});

describe("the recipient of an email", () => {
  it.each(['"%..def"@docomo.example', '".%."@people.example', '"%,b;c"@people.example'])(
    "delivers an email to the quoted local part %s as to a single recipient",
    async (pattern) => {
      const to = pattern.replace("%", fresh("u"));
      const { delivery, message } = await mailThrough(plainServer, {}, { to });
      expect(delivery).toMatchObject({ status: "sent" });
      expect(message?.parsed.envelope.rcpt_to).toEqual([to]);
      expect(message?.parsed.to).toEqual([{ name: "", address: to }]);
    },
  );

  it("treats a needlessly quoted address as the same endpoint", async () => {
    const { clientId } = await prepareClient(stack, "email");
    const name = fresh("ann.");
    const register = (address: string) => stack.endpoints.registerEmailDeliveryEndpoint({ address }, callOf(clientId));
    const { id } = await register(`${name}@people.example`);
    expect(await register(`"${name}"@People.example`)).toMatchObject({ id });
  });
});

describe("a server without SMTPUTF8", () => {
  it("sends only ASCII headers, including the Message-ID, from an internationalized domain", async () => {
    const domain = "bücher.example";
    const from = `Bücher <shop@${domain}>`;
    const to = `${fresh("u")}@例え.example`;
    const { delivery, header, head } = await mailThrough(plainServer, { from, reply_to: `help@${domain}` }, { to });
    expect(delivery).toMatchObject({ status: "sent" });
    expect(head).toMatch(/^[\x20-\x7e\r\n\t]+$/);
    expect(header("Message-ID")).toMatch(/^<[0-9a-f-]{36}@xn--bcher-kva\.example>$/);
    expect(header("To")).toMatch(/@xn--r8jz45g\.example$/);
  });

  it.each([
    ["a recipient", {}, `${fresh("ü")}@people.example`],
    ["a sender", { from: "Shop <ünser@s.example>" }, `${fresh("u")}@people.example`],
  ])(
    "rejects %s with non-ASCII characters before the @ without sending anything, and fails the delivery at the first attempt",
    async (_who, profile, to) => {
      const { delivery, message } = await mailThrough(plainServer, profile, { to });
      expect(delivery).toEqual({
        status: "failed",
        attempts: 1,
        providerStatus: "rejected",
        lastErrorCode: "smtp_utf8_unsupported",
      });
      expect(message).toBeUndefined();
    },
  );

  it("sends an internationalized address to a server with SMTPUTF8", async () => {
    const to = `${fresh("ü")}@people.example`;
    expect((await mailThrough(stack.sink, {}, { to })).delivery).toMatchObject({ status: "sent" });
  });
});

describe("the subject of an email", () => {
  it.each(["=?UTF-8?B?SGVsbG8=?=", "Your code =?utf-8?q?=41?=", "=?UTF-8?Q?Bcc:_all@people.example?="])(
    "delivers the subject %s literally although it looks like an encoded word (header spoofing)",
    async (name) => {
      const variables = { number: 7, name };
      const { message } = await mailThrough(plainServer, {}, { subject: "{{ name }}", variables });
      expect(message?.parsed.subject).toBe(name);
    },
  );
});

describe("the headers of a template", () => {
  it.each(["=?UTF-8?B?SGVsbG8=?=", "spring =?utf-8?q?=41?=", `https://shop.example/?q=?${"a".repeat(300)}`])(
    "deliver the value %s literally although it looks like an encoded word (header spoofing)",
    async (name) => {
      const variables = { number: 7, name };
      const { header } = await mailThrough(plainServer, {}, { headers: { "X-Campaign": "{{ name }}" }, variables });
      expect(decodeWords(header("X-Campaign") ?? "")).toBe(name);
    },
  );

  it("cannot replace the sender by the name under which the platform writes it (header injection)", async () => {
    const headers = { "X-Written-From": "Bank <info@bank.example>", "X-Written-Bcc": "eve@evil.example" };
    const { head } = await mailThrough(plainServer, { from: "Shop <no-reply@shop.example>" }, { headers });
    expect(head.match(/^(?:From|Bcc): .*$/gim)?.map((line) => line.trim())).toEqual([
      "From: Shop <no-reply@shop.example>",
    ]);
  });
});

/** Decodes a header as a mail program does (RFC 2047). */
function decodeWords(value: string): string {
  return value.replace(/=\?utf-8\?([bq])\?([^?]*)\?=(?: +(?==\?))?/gi, (_, encoding: string, text: string) => {
    if (encoding.toLowerCase() === "b") return Buffer.from(text, "base64").toString();
    return decodeURIComponent(text.replaceAll("_", " ").replace(/=(?=[0-9A-F]{2})/gi, "%"));
  });
}

describe("an SMTP session that the server has ended", () => {
  it("retries on another connection before it rejects the email", async () => {
    const url = stack.sink.smtpUrl.replace("smtp://", "smtp://sender:secret@");
    const { clientId, profileId } = await prepareClient(stack, "email", { smtp_url: url });
    const ids = { clientId, profileId, ...(await verifiedEndpoint(stack, "email", clientId)) };
    expect(await finished(stack, clientId, await send(stack, "email", ids))).toMatchObject({ status: "sent" });
    stack.sink.setFault({ channel: "email", stage: "mail", status: 530 });
    expect(await finished(stack, clientId, await send(stack, "email", ids))).toEqual({
      status: "sent",
      attempts: 1,
      providerStatus: "accepted",
      lastErrorCode: null,
    });
  });
});
