import { NotifyAdminService } from "@platform/proto/notify/v1/notify_admin";
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

Example:
  platformctl catalog apply --client <client id> --file catalog.yaml`,
    )
    .action(async ({ client, file }: { client: string; file: string }) => {
      const { templates } = readCatalog(file);
      const { added, changed, removed, unchanged } = await admin().applyCatalog(
        {
          projectClientId: client,
          templates: templates.map(({ html, ...rest }) => ({ ...rest, ...(html === undefined ? {} : { html }) })),
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
        templates: templates.map(({ key, channel, locale, subject, text, html, variables }) => ({
          key,
          channel,
          locale,
          subject,
          text,
          ...(html === undefined ? {} : { html }),
          variables,
        })),
      });
    });
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
