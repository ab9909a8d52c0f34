import { describe, expect, it } from "vitest";
import { type PushTemplate, pushTemplateProblem } from "./push-fields.ts";
import { payloadBytes, payloadBytesMax } from "./push-payloads.ts";
import { checkTemplate, RenderedTooLarge, renderTemplate, TemplateInvalid } from "./render-template.ts";
import type { Template } from "./template.ts";

const none: PushTemplate = {
  data: {},
  link: null,
  image: null,
  badge: null,
  sound: null,
  ttlSeconds: null,
  collapseKey: null,
  priority: null,
};
const templateOf = (channel: Template["channel"], push: Partial<PushTemplate>): Template => ({
  key: "k",
  channel,
  locale: "en",
  subject: "Title",
  text: "Text",
  html: null,
  push: { ...none, ...push },
  mail: null,
  variables: { value: "string" },
});
const rendered = (push: Partial<PushTemplate>, value: string, channel: Template["channel"] = "apns") =>
  renderTemplate(templateOf(channel, push), { value }).push;

describe("the fields of a push template", () => {
  it.each([
    ["data", { data: Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`n${index}`, ""])) }],
    ["data", { data: { [`a${"b".repeat(63)}`]: "" } }],
    ["sound", { sound: "s".repeat(100) }],
    ["ttl_seconds", { ttlSeconds: 1 }],
    ["ttl_seconds", { ttlSeconds: 2_419_200 }],
  ])("accepts the field %s at its limit", (_field, push) => {
    expect(pushTemplateProblem("fcm", { ...none, ...push })).toBeNull();
  });

  it.each([
    ["data", { data: Object.fromEntries(Array.from({ length: 51 }, (_, index) => [`n${index}`, ""])) }],
    ["data", { data: { [`a${"b".repeat(64)}`]: "" } }],
    ["sound", { sound: "s".repeat(101) }],
    ["ttl_seconds", { ttlSeconds: 0 }],
    ["ttl_seconds", { ttlSeconds: 2_419_201 }],
  ])("refuses the field %s if it exceeds its limit by one", (field, push) => {
    expect(pushTemplateProblem("fcm", { ...none, ...push })?.field).toBe(field);
  });

  it.each(["aps", "delivery_id", "from", "google.c.a.e", "gcm_x", "link", "__proto__", "a b", "1a"])(
    "refuses the data name %s, which the provider or the platform uses itself or does not accept",
    (name) => {
      const data = JSON.parse(`{${JSON.stringify(name)}:"x"}`) as Record<string, string>;
      expect(pushTemplateProblem("fcm", { ...none, data })?.field).toBe("data");
    },
  );

  it.each([
    ["line", "badge", { badge: "1" }],
    ["line", "data", { data: { a: "b" } }],
    ["email", "link", { link: "https://shop.example" }],
  ] as const)("rejects a field that messages of the channel %s do not support: %s", (channel, field, push) => {
    expect(pushTemplateProblem(channel, { ...none, ...push })).toMatchObject({ field });
  });
});

describe("a hostile value in a push", () => {
  it.each([
    "javascript:alert(1)",
    "JavaScript:alert(1)",
    "data:text/html,x",
    "file:///etc/passwd",
    "blob:https://a.example/1",
    "http://a.example",
    "https://shop.example@evil.example/",
    "/relative",
    "https://a.example/\r\nX: y",
    `https://a.example/${"a".repeat(1983)}`,
  ])("refuses the link %s, which a device would execute or which leads to another place (link injection)", (value) => {
    expect(() => rendered({ link: "{{ value }}" }, value)).toThrow(/^link of the apns message: /);
  });

  it("accepts the link of an app, except for a web push", () => {
    expect(rendered({ link: "shop://orders/{{ value }}" }, "7")?.link).toBe("shop://orders/7");
    expect(() => rendered({ link: "shop://orders/{{ value }}" }, "7", "web_push")).toThrow(/must be an https: URL/);
  });

  it("accepts a link of 2,000 characters", () => {
    const value = `https://a.example/${"a".repeat(1982)}`;
    expect(rendered({ link: "{{ value }}" }, value)?.link).toHaveLength(2_000);
  });

  it("refuses a line break in a collapse key, which is a header at APNs (header injection)", () => {
    expect(() => rendered({ collapseKey: "a{{ value }}" }, "\r\napns-priority: 10")).toThrow(/collapse_key/);
  });

  it("accepts a collapse key of 64 characters and rejects one of 65", () => {
    expect(rendered({ collapseKey: "{{ value }}" }, "k".repeat(64))?.collapseKey).toHaveLength(64);
    expect(() => rendered({ collapseKey: "{{ value }}" }, "k".repeat(65))).toThrow(/collapse_key/);
  });

  it.each(["-1", "1.5", "x", "2147483648", "1e3"])("refuses the badge %s", (value) => {
    expect(() => rendered({ badge: "{{ value }}" }, value)).toThrow(/badge of the apns message/);
  });

  it("accepts a badge of 2147483647, and omits fields whose rendered text is empty", () => {
    expect(rendered({ badge: "{{ value }}" }, "2147483647")?.badge).toBe(2_147_483_647);
    expect(rendered({ badge: "{{ value }}", link: "{{ value }}", image: "{{ value }}" }, " ")).toEqual(none);
  });
});

describe("the size of a push", () => {
  const data = { note: "{{ value }}" };

  it.each(["fcm", "apns", "web_push"] as const)(
    "%s: accepts a push at the size limit and rejects one byte more",
    (channel) => {
      const template = templateOf(channel, { data });
      const empty = payloadBytes(channel, renderTemplate(template, { value: "" })) ?? 0;
      const value = "a".repeat(payloadBytesMax[channel] - empty);
      expect(payloadBytes(channel, renderTemplate(template, { value }))).toBe(payloadBytesMax[channel]);
      expect(() => renderTemplate(template, { value: `${value}a` })).toThrow(RenderedTooLarge);
      expect(() => renderTemplate(template, { value: `${value}a` })).toThrow(`the ${channel} message has`);
    },
  );

  it.each(["fcm", "apns", "web_push"] as const)(
    "%s: rejects a push that is too large when the catalog is applied",
    (channel) => {
      const template = templateOf(channel, { data: { note: "" } });
      const empty = payloadBytes(channel, renderTemplate(template, { value: "" })) ?? 0;
      const note = "a".repeat(payloadBytesMax[channel] - empty);
      checkTemplate(templateOf(channel, { data: { note } }));
      expect(() => checkTemplate(templateOf(channel, { data: { note: `${note}a` } }))).toThrow(TemplateInvalid);
    },
  );

  it("accepts 5,000 characters of a LINE message with its link and rejects one more", () => {
    const link = "https://shop.example/";
    const rest = 5_000 - "Title\n".length - link.length - 1;
    const template = { ...templateOf("line", { link }), text: "{{ value }}" };
    expect(() => renderTemplate(template, { value: "a".repeat(rest) })).not.toThrow();
    expect(() => renderTemplate(template, { value: "a".repeat(rest + 1) })).toThrow("the line message is longer");
  });
});

describe("a template without variables", () => {
  it("rejects an unusable push field when the catalog is applied", () => {
    const template = { ...templateOf("fcm", { link: "javascript:alert(1)" }), variables: {} };
    expect(() => checkTemplate(template)).toThrow(/link of the fcm message/);
  });

  it("rejects a push field with a variable that the template does not declare", () => {
    expect(() => checkTemplate(templateOf("fcm", { data: { note: "{{ other }}" } }))).toThrow(
      "data.note: undeclared variable other",
    );
  });
});
