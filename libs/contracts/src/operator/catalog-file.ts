import { z } from "zod";

const text = z.string();

/** One template of `catalog.yaml`. The service checks the values. */
const template = z.strictObject({
  key: text,
  channel: text,
  locale: text,
  subject: text.default(""),
  text,
  html: text.optional(),
  data: z.record(text, text).default({}),
  link: text.optional(),
  image: text.optional(),
  badge: z.union([z.int(), text]).optional(),
  sound: text.optional(),
  ttl_seconds: z.int().min(0).max(0xffff_ffff).optional(),
  collapse_key: text.optional(),
  priority: text.optional(),
  attachments: z.array(z.strictObject({ file: text, name: text })).default([]),
  reply_to: text.optional(),
  headers: z.record(text, text).default({}),
  variables: z.record(text, z.enum(["string", "integer", "number"])).default({}),
});

const catalogFile = z.strictObject({ templates: z.array(template) });

/** The push fields of a template, as the RPC accepts and returns them. */
type PushFields = {
  readonly data: Readonly<Record<string, string>>;
  readonly link?: string | undefined;
  readonly image?: string | undefined;
  readonly badge?: string | undefined;
  readonly sound?: string | undefined;
  readonly ttlSeconds?: number | undefined;
  readonly collapseKey?: string | undefined;
  readonly priority?: string | undefined;
};

/** The email fields of a template, as the RPC accepts and returns them. */
type MailFields = {
  readonly attachments: readonly { readonly file: string; readonly name: string }[];
  readonly replyTo?: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
};

/** A template as the RPCs accept and return it. */
export type CatalogTemplate = {
  readonly key: string;
  readonly channel: string;
  readonly locale: string;
  readonly subject: string;
  readonly text: string;
  readonly html?: string | undefined;
  readonly variables: Readonly<Record<string, string>>;
  readonly push?: PushFields | undefined;
  readonly mail?: MailFields | undefined;
};

/** A template without absent fields, so that it can initialize a message. */
type TemplateInit = {
  key: string;
  channel: string;
  locale: string;
  subject: string;
  text: string;
  html?: string;
  variables: Record<string, string>;
  push?: PushInit;
  mail?: { attachments: { file: string; name: string }[]; replyTo?: string; headers: Record<string, string> };
};
type PushInit = {
  data: Record<string, string>;
  link?: string;
  image?: string;
  badge?: string;
  sound?: string;
  ttlSeconds?: number;
  collapseKey?: string;
  priority?: string;
};

/**
 * Reads `catalog.yaml`. The file has the push fields of a template next to its other fields; the request has them in a
 * message of their own.
 * @returns the templates, or the problems of the file, each with its position
 */
export function readCatalogFile(
  parsed: unknown,
): { readonly templates: TemplateInit[] } | { readonly problems: readonly string[] } {
  const result = catalogFile.safeParse(parsed);
  if (!result.success)
    return { problems: result.error.issues.map(({ path, message }) => `${path.join(".") || "catalog"}: ${message}`) };
  return { templates: result.data.templates.map(toTemplate) };
}

function toTemplate(file: z.output<typeof template>): TemplateInit {
  const { key, channel, locale, subject, text: body, html, variables } = file;
  const { data, link, image, badge, sound, ttl_seconds, collapse_key, priority } = file;
  const fields = present({
    link,
    image,
    badge: badge === undefined ? undefined : String(badge),
    sound,
    ttlSeconds: ttl_seconds,
    collapseKey: collapse_key,
    priority,
  });
  const hasPush = Object.keys(data).length > 0 || Object.keys(fields).length > 0;
  const push = hasPush ? { push: { data, ...fields } } : {};
  const { attachments, reply_to: replyTo, headers } = file;
  const hasMail = attachments.length > 0 || replyTo !== undefined || Object.keys(headers).length > 0;
  const mail = hasMail ? { mail: { attachments, ...present({ replyTo }), headers } } : {};
  return { key, channel, locale, subject, text: body, ...present({ html }), variables, ...push, ...mail };
}

/** Converts a template to the form that it has in `catalog.yaml`. */
export function catalogFileEntry(template: CatalogTemplate) {
  const { key, channel, locale, subject, text: body, html, variables } = template;
  return { key, channel, locale, subject, text: body, ...present({ html }), ...furtherEntries(template), variables };
}

/** Returns the optional fields of a template, which `catalog.yaml` has next to its texts and variables. */
export const furtherEntries = ({ push, mail }: Pick<CatalogTemplate, "push" | "mail">) => ({
  ...(push === undefined ? {} : pushEntries(push)),
  ...(mail === undefined ? {} : mailEntries(mail)),
});

function mailEntries({ attachments, replyTo, headers }: MailFields) {
  return {
    ...(attachments.length === 0 ? {} : { attachments: attachments.map(({ file, name }) => ({ file, name })) }),
    ...present({ reply_to: replyTo }),
    ...(Object.keys(headers).length === 0 ? {} : { headers }),
  };
}

function pushEntries(push: PushFields) {
  const { data, link, image, badge, sound, ttlSeconds, collapseKey, priority } = push;
  return {
    ...(Object.keys(data).length === 0 ? {} : { data }),
    ...present({ link, image, badge, sound, ttl_seconds: ttlSeconds, collapse_key: collapseKey, priority }),
  };
}

/** Copies an object without its undefined members. */
function present<T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  // The cast is needed because the compiler cannot derive a generic type from its entries.
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never;
}
