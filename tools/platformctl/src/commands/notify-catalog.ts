import { defined } from "@platform/kit/process/fields";
import { NotifyAdminService, type PushFields } from "@platform/proto/notify/v1/notify_admin";
import type { Command } from "commander";
import { parse } from "yaml";
import { z } from "zod";
import type { Ctl } from "../ctl.ts";
import { readTextFile } from "../read-text.ts";
import { topLevel } from "../top-level.ts";
import { UsageError } from "../usage-error.ts";

const catalogSchema = z.strictObject({
  templates: z.array(
    z.strictObject({
      key: z.string(),
      channel: z.string(),
      locale: z.string(),
      subject: z.string().default(""),
      text: z.string(),
      html: z.string().optional(),
      data: z.record(z.string(), z.string()).default({}),
      link: z.string().optional(),
      image: z.string().optional(),
      badge: z.union([z.int(), z.string()]).optional(),
      sound: z.string().optional(),
      ttl_seconds: z.int().min(0).max(0xffff_ffff).optional(),
      collapse_key: z.string().optional(),
      priority: z.string().optional(),
      variables: z.record(z.string(), z.enum(["string", "integer", "number"])).default({}),
    }),
  ),
});

/** `catalog`. */
export function registerCatalogCommands(program: Command, ctl: Ctl): void {
  const admin = () => ctl.connection("notify").service(NotifyAdminService);
  const catalog = topLevel(program, "catalog");
  catalog
    .command("apply")
    .description("Replace the client's catalog as a whole; nothing changes when any template is refused.")
    .requiredOption("--client <id>", "the Project Client")
    .requiredOption("--file <path>", "catalog.yaml")
    .addHelpText(
      "after",
      `
catalog.yaml:
  templates:
    - key: order-shipped
      channel: email            # email, fcm, apns, line or web_push
      locale: en
      subject: "Order {{ number }} is on its way"     # the title of a push
      text: "Dear {{ name }}, it left our house."     # the body of a push
      html: "<p>Dear {{ name }}, it left our house.</p>"   # email only; values are escaped
      variables: {number: integer, name: string}      # string, integer or number
    - key: order-shipped
      channel: fcm
      locale: en
      subject: "Order {{ number }}"
      text: "It left our house."
      link: "https://shop.example/orders/{{ number }}"    # with data, image, badge, sound, ttl_seconds,
      data: {order: "{{ number }}"}                       # collapse_key and priority: optional, push only
      variables: {number: integer}

Example:
  platformctl catalog apply --client <client id> --file catalog.yaml`,
    )
    .action(async ({ client, file }: { client: string; file: string }) => {
      const { templates } = readCatalog(file);
      const { added, changed, removed, unchanged } = await admin().applyCatalog(
        {
          projectClientId: client,
          templates: templates.map(wireTemplate),
        },
        ctl.call(client),
      );
      const lines = [
        ...added.map((name) => `+ ${name}`),
        ...changed.map((name) => `~ ${name}`),
        ...removed.map((name) => `- ${name}`),
        `${added.length} added, ${changed.length} changed, ${removed.length} removed, ${unchanged} unchanged`,
      ];
      ctl.print({ added, changed, removed, unchanged }, () => lines.join("\n"));
    });
  catalog
    .command("show")
    .description("Show the client's catalog as it is.")
    .requiredOption("--client <id>", "the Project Client")
    .addHelpText("after", "\nExample:\n  platformctl catalog show --client <client id>")
    .action(async ({ client }: { client: string }) => {
      const { templates } = await admin().showCatalog({ projectClientId: client }, ctl.call(client));
      ctl.print({
        templates: templates.map(({ key, channel, locale, subject, text, html, push, variables }) => ({
          key,
          channel,
          locale,
          subject,
          text,
          ...defined({ html }),
          ...(push === undefined ? {} : shownPush(push)),
          variables,
        })),
      });
    });
}

type CatalogTemplate = z.output<typeof catalogSchema>["templates"][number];

/** The fields of a push are beside the others in a file, and a message of their own on the wire. */
function wireTemplate(template: CatalogTemplate) {
  const { key, channel, locale, subject, text, html, variables, data, badge, ttl_seconds, collapse_key, ...rest } =
    template;
  const fields = {
    ...rest,
    badge: badge === undefined ? undefined : String(badge),
    ttlSeconds: ttl_seconds,
    collapseKey: collapse_key,
  };
  const hasPush = Object.keys(data).length > 0 || Object.values(fields).some((value) => value !== undefined);
  const push = hasPush ? { push: { data, ...defined(fields) } } : {};
  return { key, channel, locale, subject, text, ...defined({ html }), variables, ...push };
}

function shownPush({ data, link, image, badge, sound, ttlSeconds, collapseKey, priority }: PushFields) {
  return {
    ...(Object.keys(data).length === 0 ? {} : { data }),
    ...defined({ link, image, badge, sound, ttl_seconds: ttlSeconds, collapse_key: collapseKey, priority }),
  };
}

function readCatalog(path: string): z.output<typeof catalogSchema> {
  const text = readTextFile(path, "--file");
  let parsed: unknown;
  try {
    parsed = parse(text);
  } catch (error) {
    throw new UsageError(`--file ${path}: ${(error as Error).message}`);
  }
  const result = catalogSchema.safeParse(parsed);
  if (result.success) return result.data;
  throw new UsageError(
    `--file ${path}: ${result.error.issues.map((issue) => `${issue.path.join(".")}: ${issue.message}`).join("; ")}`,
  );
}
