import { createHash } from "node:crypto";
import type { Violation } from "@platform/kit/rpc/errors";
import type { Channel } from "./channel.ts";
import type { MailTemplate } from "./mail-fields.ts";
import type { PushTemplate } from "./push-fields.ts";

export type VariableType = "string" | "integer" | "number";

/** One message in one language for one channel; its texts are Liquid. */
export type Template = {
  readonly key: string;
  readonly channel: Channel;
  readonly locale: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string | null;
  /** The additional fields of a push. Null for emails, and for a push with only title and text. */
  readonly push: PushTemplate | null;
  /** The additional fields of an email. Null for pushes, and for an email with only texts. */
  readonly mail: MailTemplate | null;
  readonly variables: Readonly<Record<string, VariableType>>;
};

/** Canonical form of a locale, in which `en_US` and `en-us` are equal. */
function normalLocale(locale: string): string {
  return locale.toLowerCase().replaceAll("_", "-");
}

/** A template's name within its client's catalog, as a valid MongoDB field name, because keys may contain dots and dollar signs. */
export function templateId(key: string, channel: Channel, locale: string): string {
  return createHash("sha256")
    .update([key, channel, normalLocale(locale)].join("\0"))
    .digest("hex");
}

/** Name of a template in messages about a catalog. */
export function templateName({ key, channel, locale }: Template): string {
  return `${key} ${channel} ${locale}`;
}

/** Digest of a template's whole content, by which equal templates are recognized. */
export function templateDigest(template: Template): string {
  const sorted = (record: Readonly<Record<string, unknown>>) =>
    Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1));
  const push = template.push === null ? null : sorted({ ...template.push, data: sorted(template.push.data) });
  const mail =
    template.mail === null
      ? []
      : [
          template.mail.attachments.map(({ file, name }) => [file, name]),
          template.mail.replyTo,
          sorted(template.mail.headers),
        ];
  const content = [template.subject, template.text, template.html, sorted(template.variables), push, ...mail];
  return createHash("sha256").update(JSON.stringify(content)).digest("hex");
}

/**
 * The languages in which a template is searched for, best first: the requested one, the same without its last parts
 * (`zh-Hant-TW`, `zh-Hant`, `zh`), then the same for the profile's default.
 */
export function localeCandidates(requested: string, fallback: string | null): string[] {
  const found: string[] = [];
  for (const locale of [requested, ...(fallback === null ? [] : [fallback])]) {
    const parts = normalLocale(locale).split("-");
    for (let length = parts.length; length > 0; length -= 1) {
      const candidate = parts.slice(0, length).join("-");
      if (!found.includes(candidate)) found.push(candidate);
    }
  }
  return found;
}

/** Violations of the variables that the template declares. Paths are JSON Pointers into the request body. */
export function variableViolations(
  declared: Readonly<Record<string, VariableType>>,
  given: Readonly<Record<string, unknown>>,
): Violation[] {
  const pointer = (name: string): string => `/variables/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`;
  const violations: Violation[] = [];
  for (const [name, type] of Object.entries(declared)) {
    if (!Object.hasOwn(given, name)) {
      violations.push({ path: pointer(name), code: "required", message: `the template needs this ${type}` });
    } else if (!isOfType(type, given[name])) {
      violations.push({ path: pointer(name), code: "invalid_type", message: `must be a ${type}` });
    }
  }
  for (const name of Object.keys(given)) {
    if (Object.hasOwn(declared, name)) continue;
    violations.push({ path: pointer(name), code: "unknown_property", message: "the template does not declare this" });
  }
  return violations;
}

function isOfType(type: VariableType, value: unknown): boolean {
  switch (type) {
    case "string":
      return typeof value === "string";
    case "integer":
      return typeof value === "number" && Number.isInteger(value);
    case "number":
      return typeof value === "number";
  }
}
