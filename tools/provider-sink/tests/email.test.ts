import net from "node:net";
import nodemailer from "nodemailer";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type ProviderSink, startProviderSink } from "../src/index.ts";

const mail = {
  from: "Project <no-reply@project.example>",
  subject: "Ваш код — 確認コード",
  text: "Your code is 123456\n.\nA line that is a single dot came before this one.",
  html: "<p>Your code is <b>123456</b></p>",
};

let sink: ProviderSink;
beforeAll(async () => {
  sink = await startProviderSink();
});
beforeEach(() => sink.clear());
afterAll(() => sink.close());

function transportTo(url: string, options: Record<string, unknown> = {}) {
  const { hostname, port, protocol } = new URL(url);
  return nodemailer.createTransport({
    host: hostname,
    port: Number(port),
    secure: protocol === "smtps:",
    tls: { ca: sink.caCertificatePem },
    auth: { user: "sender", pass: "secret" },
    ...options,
  });
}

describe("accepted mail", () => {
  it.each(["smtpUrl", "smtpsUrl"] as const)(
    "accepts email over %s with verified TLS and authentication, and keeps its bytes",
    async (name) => {
      const info = await transportTo(sink[name], { requireTLS: name === "smtpUrl" }).sendMail({
        ...mail,
        to: "Ann@example.com",
      });
      expect(info.response).toMatch(/^250 2\.0\.0 Ok: queued as [0-9A-F]{10}$/);
      const [message, ...rest] = await sink.messages({ channel: "email", to: "ANN@example.com" });
      expect(rest).toEqual([]);
      expect(message).toMatchObject({ channel: "email", to: "Ann@example.com", answered_status: 250 });
      expect(message?.headers.subject).toContain("=?UTF-8?");
      expect(message?.headers["message-id"]).toBe(info.messageId);
      expect(message?.raw).toContain("\r\nMIME-Version: 1.0\r\n");
      expect(message?.parsed).toMatchObject({
        subject: mail.subject,
        from: { name: "Project", address: "no-reply@project.example" },
        to: [{ name: "", address: "Ann@example.com" }],
        envelope: {
          mail_from: "no-reply@project.example",
          tls: true,
          auth: { method: "PLAIN", username: "sender", password: "secret" },
        },
      });
      expect(message?.parsed.text.trim()).toBe(mail.text);
      expect(message?.parsed.html).toContain("<b>123456</b>");
    },
  );

  it("stores one item for each of three recipients", async () => {
    await transportTo(sink.smtpUrl).sendMail({ ...mail, to: ["a@x.example", "b@x.example"], bcc: "c@x.example" });
    const messages = await sink.messages({ channel: "email" });
    expect(messages.map(({ to }) => to)).toEqual(["a@x.example", "b@x.example", "c@x.example"]);
  });

  it("accepts AUTH LOGIN on encrypted connections only", async () => {
    await transportTo(sink.smtpUrl, { authMethod: "LOGIN" }).sendMail({ ...mail, to: "login@x.example" });
    const [message] = await sink.messages({ to: "login@x.example" });
    expect(message?.parsed.envelope.auth.method).toBe("LOGIN");
    const inClear = transportTo(sink.smtpUrl, { ignoreTLS: true }).sendMail({ ...mail, to: "clear@x.example" });
    await expect(inClear).rejects.toMatchObject({ code: "EAUTH" });
  });

  it("keeps an attached file", async () => {
    const attachments = [{ filename: "a.bin", content: Buffer.from([0, 1, 2, 255]) }];
    await transportTo(sink.smtpUrl).sendMail({ ...mail, to: "file@x.example", attachments });
    const [message] = await sink.messages({ to: "file@x.example" });
    expect(message?.parsed.attachments).toMatchObject([{ filename: "a.bin", content: "AAEC/w==", encoding: "base64" }]);
  });
});

it.each([true, false])("offers SMTPUTF8 when smtpUtf8 is %s", async (smtpUtf8) => {
  const other = await startProviderSink({ smtpUtf8 });
  const transport = transportTo(other.smtpUrl, { tls: { ca: other.caCertificatePem } });
  const to = '"a..b"@x.example';
  await transport.sendMail({ ...mail, to: { name: "", address: to } });
  const socket = net.connect(Number(new URL(other.smtpUrl).port), "127.0.0.1");
  let said = "";
  for await (const chunk of socket.setEncoding("utf8")) {
    // A client sends its first command after the greeting.
    if (said === "") socket.write("EHLO x\r\nQUIT\r\n");
    said += chunk;
  }
  expect(said.includes("250-SMTPUTF8")).toBe(smtpUtf8);
  expect(await other.messages({ to })).toHaveLength(1);
  await other.close();
});

describe("faults", () => {
  it.each([421, 450, 451, 452, 550, 552, 553, 571])(
    "refuses the recipient once at RCPT with %i, before any content",
    async (status) => {
      sink.setFault({ channel: "email", to: "r@x.example", status });
      const send = () => transportTo(sink.smtpUrl).sendMail({ ...mail, to: "r@x.example" });
      await expect(send()).rejects.toMatchObject({ responseCode: status });
      await send();
      const messages = await sink.messages({ to: "r@x.example" });
      expect(messages.map(({ answered_status }) => answered_status)).toEqual([status, 250]);
      expect(messages[0]?.raw).toBe("");
    },
  );

  it.each([
    ["greeting", 421, "CONN"],
    ["greeting", 554, "CONN"],
    ["mail", 451, "MAIL FROM"],
    ["mail", 530, "MAIL FROM"],
  ] as const)("rejects at the stage %s with %i, and accepts the next email", async (stage, status, command) => {
    sink.setFault({ channel: "email", status, stage });
    const send = () => transportTo(sink.smtpUrl).sendMail({ ...mail, to: "early@x.example" });
    await expect(send()).rejects.toMatchObject({ responseCode: status, command });
    await send();
    expect(await sink.messages({ to: "early@x.example" })).toMatchObject([{ answered_status: 250 }]);
  });

  it.each([421, 450, 451, 552, 554])("rejects a complete email after DATA with %i", async (status) => {
    sink.setFault({ channel: "email", status, stage: "data", body: "4.7.1 Greylisted, come back later" });
    const sent = transportTo(sink.smtpsUrl).sendMail({ ...mail, to: "d@x.example" });
    await expect(sent).rejects.toMatchObject({
      responseCode: status,
      response: `${status} 4.7.1 Greylisted, come back later`,
    });
    const [message] = await sink.messages({ to: "d@x.example" });
    expect(message).toMatchObject({ answered_status: status, parsed: { subject: mail.subject } });
  });

  it.each([
    ["service_unavailable", 421],
    ["mailbox_busy", 450],
    ["local_error", 451],
    ["insufficient_storage", 452],
    ["recipient_refused", 550],
    ["mailbox_unavailable", 550],
    ["mailbox_full", 552],
    ["mailbox_name_not_allowed", 553],
    ["rejected_content", 554],
  ])("responds to %s with %i", async (kind, responseCode) => {
    sink.setFault({ channel: "email", kind });
    const sent = transportTo(sink.smtpUrl).sendMail({ ...mail, to: "k@x.example" });
    await expect(sent).rejects.toMatchObject({ responseCode });
  });

  it("refuses one recipient and accepts the other", async () => {
    sink.setFault({ channel: "email", to: "bad@x.example", kind: "mailbox_unavailable" });
    const info = await transportTo(sink.smtpUrl).sendMail({ ...mail, to: ["bad@x.example", "good@x.example"] });
    expect(info).toMatchObject({ accepted: ["good@x.example"], rejected: ["bad@x.example"] });
  });

  it.each(["smtpUrl", "smtpsUrl"] as const)(
    "records no status when a connection over %s drops before acceptance",
    async (name) => {
      sink.setFault({ channel: "email", drop: "before" });
      const sent = transportTo(sink[name]).sendMail({ ...mail, to: "b@x.example" });
      await expect(sent).rejects.toMatchObject({ command: expect.any(String) });
      expect(await sink.messages({ to: "b@x.example" })).toMatchObject([{ answered_status: null }]);
    },
  );

  it.each(["smtpUrl", "smtpsUrl"] as const)(
    "records an accepted email when a connection over %s drops after acceptance",
    async (name) => {
      sink.setFault({ channel: "email", drop: "after" });
      const sent = transportTo(sink[name]).sendMail({ ...mail, to: "a@x.example" });
      await expect(sent).rejects.toThrow();
      expect(await sink.messages({ to: "a@x.example" })).toMatchObject([{ answered_status: 250 }]);
    },
  );

  it.each(["smtpUrl", "smtpsUrl"] as const)(
    "accepts nothing over a failing TLS handshake over %s, and accepts the next email",
    async (name) => {
      sink.setFault({ channel: "email", kind: "tls_failure" });
      const send = () =>
        transportTo(sink[name], { requireTLS: name === "smtpUrl" }).sendMail({ ...mail, to: "t@x.example" });
      await expect(send()).rejects.toMatchObject({
        code: expect.stringMatching(/^(ETLS|ESOCKET|ECONNECTION|ERR_SSL.*)$/),
      });
      expect(await sink.messages({ to: "t@x.example" })).toEqual([]);
      await send();
      expect(await sink.messages({ to: "t@x.example" })).toHaveLength(1);
    },
  );

  it.each(["auth", "rcpt", "data"])("accepts email when the response is late at %s", async (stage) => {
    sink.setFault({ channel: "email", stage, delay_ms: 20 });
    await transportTo(sink.smtpUrl).sendMail({ ...mail, to: "slow@x.example" });
    expect(await sink.messages({ to: "slow@x.example" })).toMatchObject([{ answered_status: 250 }]);
  });

  it("rejects wrong credentials with 535, and accepts the next try", async () => {
    sink.setFault({ channel: "email", kind: "authentication_failed" });
    const send = () => transportTo(sink.smtpsUrl).sendMail({ ...mail, to: "auth@x.example" });
    await expect(send()).rejects.toMatchObject({ code: "EAUTH", responseCode: 535 });
    await send();
    expect(await sink.messages({ to: "auth@x.example" })).toHaveLength(1);
  });

  it("lets a client refuse an untrusted certificate", async () => {
    const sent = transportTo(sink.smtpsUrl, { tls: {} }).sendMail({ ...mail, to: "u@x.example" });
    await expect(sent).rejects.toThrow(/self.signed/i);
  });

  it("records an email before its late response", async () => {
    sink.setFault({ channel: "email", to: "late@x.example", delay_ms: 300 });
    let isAnswered = false;
    const sent = transportTo(sink.smtpUrl)
      .sendMail({ ...mail, to: "late@x.example" })
      .then(() => {
        isAnswered = true;
      });
    await sink.messages({ to: "late@x.example", waitMs: 10_000 });
    expect(isAnswered).toBe(false);
    await sent;
  });
});
