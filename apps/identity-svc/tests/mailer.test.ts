import { randomBytes } from "node:crypto";
import { readMailbox } from "@platform/kit/web/mail";
import { type ProviderSink, startProviderSink } from "@platform/provider-sink";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { createMailer, MailRefusedError } from "../src/mail/mailer.ts";

let sink: ProviderSink;
/** A mail server that does not support SMTPUTF8. */
let plainServer: ProviderSink;
beforeAll(async () => {
  [sink, plainServer] = await Promise.all([startProviderSink(), startProviderSink({ smtpUtf8: false })]);
});
afterAll(() => Promise.all([sink.close(), plainServer.close()]));

const content = { subject: "Code", text: "123456", html: "<p>123456</p>" };
const fresh = (prefix: string): string => `${prefix}${randomBytes(4).toString("hex")}`;

/** Sends one email. Resolves to the received email, if it arrived. */
async function mailTo(server: ProviderSink, to: string, from = "Platform <platform@s.example>") {
  const sender = readMailbox(from);
  if (sender === null) throw new Error(`no sender: ${from}`);
  const mailer = createMailer({ smtpUrl: server.smtpUrl, from: sender });
  onTestFinished(() => mailer.close());
  await mailer.send(to, `${fresh("id")}@s.example`, content);
  const [message] = await server.messages({ channel: "email", to });
  return message;
}

describe("a server without SMTPUTF8", () => {
  it("sends nothing to an address with non-ASCII characters before the @, and rejects the email permanently", async () => {
    const to = `${fresh("ü")}@people.example`;
    await expect(mailTo(plainServer, to)).rejects.toThrow(MailRefusedError);
    expect(await plainServer.messages({ channel: "email", to })).toEqual([]);
  });

  it("sends nothing from an address with non-ASCII characters before the @", async () => {
    const sent = mailTo(plainServer, `${fresh("u")}@people.example`, "Platform <plätform@s.example>");
    await expect(sent).rejects.toThrow(MailRefusedError);
  });

  it("sends email to an internationalized domain and to a quoted local part", async () => {
    const domain = await mailTo(plainServer, `${fresh("u")}@bücher.example`);
    expect(domain?.parsed.subject).toBe("Code");
    const quoted = `"${fresh("u")}..x"@people.example`;
    expect((await mailTo(plainServer, quoted))?.parsed.envelope.rcpt_to).toEqual([quoted]);
  });
});

it("sends to an address with non-ASCII characters through a server with SMTPUTF8", async () => {
  const to = `${fresh("ü")}@people.example`;
  expect((await mailTo(sink, to))?.parsed.envelope.rcpt_to).toEqual([to]);
});

it.each([
  ["550 for the recipient", { status: 550 }, MailRefusedError],
  ["451 for the recipient", { status: 451 }, Error],
  ["421 for the sender of all mails", { stage: "mail" as const, status: 421 }, Error],
])("distinguishes a permanent rejection from a temporary one: %s", async (_what, fault, kind) => {
  sink.setFault({ channel: "email", ...fault });
  onTestFinished(() => sink.clearFaults());
  const error = await mailTo(sink, `${fresh("u")}@people.example`).catch((cause: unknown) => cause);
  expect(error).toBeInstanceOf(Error);
  expect((error as Error).constructor).toBe(kind);
  expect(String(error)).not.toContain("people.example");
});

it("permanently rejects an address with angle brackets in its quoted local part, because the library cannot send it", async () => {
  await expect(mailTo(sink, '"a<b"@people.example')).rejects.toThrow(MailRefusedError);
});

it.each(["=?UTF-8?B?SGVsbG8=?=", "Support =?utf-8?q?=41?=", "店 =?UTF-8?Q?Bank?="])(
  "keeps the sender's name %s literal although it looks like an encoded word (header spoofing)",
  async (name) => {
    const message = await mailTo(plainServer, `${fresh("u")}@people.example`, `${name} <platform@s.example>`);
    const header = /^From: (.*(?:\r?\n[ \t].*)*)/m.exec(message?.raw ?? "")?.[1]?.replace(/\r?\n/g, "") ?? "";
    const [words = "", address] = header.split(" <");
    expect(address).toBe("platform@s.example>");
    const decoded = words.split(" ").map((word) => /^=\?UTF-8\?B\?([A-Za-z0-9+/=]*)\?=$/.exec(word)?.[1] ?? "?");
    expect(decoded.map((each) => Buffer.from(each, "base64").toString()).join("")).toBe(name);
    expect(message?.parsed.from).toEqual({ name, address: "platform@s.example" });
    expect(message?.parsed.envelope.mail_from).toBe("platform@s.example");
    expect(message?.raw).not.toContain("X-Written");
  },
);
