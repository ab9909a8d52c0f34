import { describe, expect, test } from "vitest";
import { type MailTemplate, mailSources, mailTemplateProblem, readMailContent } from "./mail-fields.ts";

const fileId = "0197a000-0000-7000-8000-000000000001";
const mail: MailTemplate = {
  attachments: [{ file: "{{ invoice }}", name: "invoice.pdf" }],
  replyTo: "{{ answer_to }}",
  headers: { "List-Id": "News <news.shop.example>", "X-Campaign": "{{ campaign }}" },
};
const read = (rendered: Record<string, string>, template = mail) =>
  readMailContent(template, { ...mailSources(template), ...rendered });
const rendered = { "attachments.0.file": fileId, reply_to: "Help <help@shop.example>", "headers.X-Campaign": "spring" };

test("reads rendered fields, and leaves out empty ones", () => {
  expect(read(rendered)).toEqual({
    attachments: [{ fileId, name: "invoice.pdf" }],
    replyTo: "Help <help@shop.example>",
    headers: { "List-Id": "News <news.shop.example>", "X-Campaign": "spring" },
  });
  expect(read({ "attachments.0.file": " ", reply_to: "", "headers.X-Campaign": "" })).toEqual({
    attachments: [],
    replyTo: null,
    headers: { "List-Id": "News <news.shop.example>" },
  });
});

describe("headers of an email", () => {
  test.each(["List-Id", "list-id", "X-Campaign", "x-1"])("accepts a header named %s", (name) => {
    expect(mailTemplateProblem("email", { ...mail, headers: { [name]: "v" } })).toBeNull();
  });

  test.each([
    "Bcc",
    "To",
    "From",
    "Subject",
    "Sender",
    "Content-Type",
    "List-Unsubscribe",
    "DKIM-Signature",
    "Return-Path",
    "X-",
    "X-A\r\nBcc",
    "X A",
  ])("refuses a header named %j (header injection)", (name) => {
    expect(mailTemplateProblem("email", { ...mail, headers: { [name]: "v" } })).toMatchObject({ field: "headers" });
  });

  test.each(["a\r\nBcc: eve@evil.example", "a\nb", "a\rb", "a\0b", "a\u2028b", "ä"])(
    "refuses the header value %j (header injection)",
    (value) => {
      expect(() => read({ ...rendered, "headers.X-Campaign": value })).toThrow("headers.X-Campaign");
    },
  );

  test("refuses a List-Id that looks like an encoded word, also when the catalog is applied (header spoofing)", () => {
    const headers = { "List-Id": "=?UTF-8?B?SGVsbG8=?= <news.shop.example>" };
    expect(mailTemplateProblem("email", { ...mail, headers })).toMatchObject({ field: "headers" });
    expect(() => read({ ...rendered, "headers.List-Id": headers["List-Id"] })).toThrow("headers.List-Id");
  });

  test("accepts at most 10 headers, with values of at most 900 characters", () => {
    const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`X-H${n}`, "v"]));
    expect(mailTemplateProblem("email", { ...mail, headers: many(10) })).toBeNull();
    expect(mailTemplateProblem("email", { ...mail, headers: many(11) })).toMatchObject({ field: "headers" });
    expect(read({ ...rendered, "headers.X-Campaign": "v".repeat(900) }).headers["X-Campaign"]).toHaveLength(900);
    expect(() => read({ ...rendered, "headers.X-Campaign": "v".repeat(901) })).toThrow("900");
  });
});

test.each(["a@b.example, eve@evil.example", "a@b.example\r\nBcc: eve@evil.example", "nobody", "ä@b.example"])(
  "refuses the reply_to %j (header injection)",
  (replyTo) => {
    expect(() => read({ ...rendered, reply_to: replyTo })).toThrow("reply_to must be one address");
  },
);

describe("attachments of an email", () => {
  test.each(["../etc/passwd", "a\r\nb.pdf", "a\\b", "", "n".repeat(101)])("refuses an attachment named %j", (name) => {
    const template = { ...mail, attachments: [{ file: fileId, name }] };
    expect(() => readMailContent(template, { ...rendered, "attachments.0.name": name })).toThrow("attachments.0.name");
  });

  test("refuses a name that looks like an encoded word, also when the catalog is applied (disguised file type)", () => {
    const name = "=?UTF-8?B?aW52b2ljZS5leGU=?=.pdf";
    const attachments = [{ file: "{{ invoice }}", name }];
    expect(mailTemplateProblem("email", { ...mail, attachments })).toMatchObject({ field: "attachments" });
    expect(() => read({ ...rendered, "attachments.0.name": name })).toThrow("attachments.0.name");
  });

  test("accepts the id of a File Object as an attachment", () => {
    expect(() => read({ ...rendered, "attachments.0.file": "https://evil.example/x" })).toThrow("attachments.0.file");
  });

  test("accepts at most 10 attachments, and only for email", () => {
    const attachments = (count: number) => Array.from({ length: count }, () => ({ file: fileId, name: "a" }));
    expect(mailTemplateProblem("email", { ...mail, attachments: attachments(10) })).toBeNull();
    expect(mailTemplateProblem("email", { ...mail, attachments: attachments(11) })).toMatchObject({
      field: "attachments",
    });
    expect(mailTemplateProblem("fcm", mail)).toEqual({ field: "attachments", problem: "a message by fcm has none" });
  });
});
