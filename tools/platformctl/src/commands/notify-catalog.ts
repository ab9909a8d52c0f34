import { catalogFileEntry, readCatalogFile } from "@platform/contracts/operator/catalog-file";
import { catalogVersions } from "@platform/contracts/operator/catalog-versions";
import { readInteger } from "@platform/contracts/operator/field-values";
import { CatalogAdminService } from "@platform/proto/notify/v1/catalog_admin";
import { NotifyAdminService } from "@platform/proto/notify/v1/notify_admin";
import type { Command } from "commander";
import { parse } from "yaml";
import type { Ctl } from "../ctl.ts";
import { registerResource } from "../operator-commands.ts";
import { topLevel } from "../top-level.ts";
import { UsageError } from "../usage-error.ts";

/** Commands `catalog …`, for the templates of a Project Client. */
export function registerCatalogCommands(program: Command, ctl: Ctl): void {
  const admin = () => ctl.connection("notify").service(NotifyAdminService);
  const versions = () => ctl.connection("notify").service(CatalogAdminService);
  const catalog = topLevel(program, "catalog");
  catalog
    .command("apply")
    .description("Replace the whole catalog of a project. If any template is rejected, nothing changes.")
    .requiredOption("--client <id>", "Project Client id")
    .requiredOption("--file <path>", "catalog.yaml")
    .option(
      "--dry-run",
      "change nothing; show the changes, and the entries of the validated catalog that are not applied",
    )
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

Examples:
  platformctl catalog apply --client <client id> --file catalog.yaml --dry-run
  platformctl catalog apply --client <client id> --file catalog.yaml

The exit code of a dry run is 1 if a template would be rejected.`,
    )
    .action(async ({ client, file, dryRun }: { client: string; file: string; dryRun?: true }) => {
      const request = { projectClientId: client, templates: readCatalog(ctl, file) };
      if (dryRun !== true) {
        const { added, changed, removed, unchanged } = await admin().applyCatalog(request, ctl.call(client));
        const changes = { added, changed, removed, unchanged };
        return ctl.print(changes, () => linesOf(changes).join("\n"));
      }
      const { added, changed, removed, unchanged, problems } = await versions().previewCatalog(
        request,
        ctl.call(client),
      );
      const shown = problems.map(({ kind, name, message }) => ({ kind, name, message }));
      ctl.print({ added, changed, removed, problems: shown }, () =>
        [
          ...linesOf({ added, changed, removed, unchanged }),
          ...shown.map(({ kind, name, message }) => `! ${kind}: ${name}: ${message}`),
        ].join("\n"),
      );
      if (problems.some(({ kind }) => kind === "refused")) process.exitCode = 1;
    });
  registerResource(catalog, ctl, catalogVersions);
  catalog
    .command("rollback")
    .description("Apply one of the last 20 catalogs of a project again, as a new version.")
    .requiredOption("--client <id>", "Project Client id")
    .requiredOption("--to <n>", "version, as listed by catalog history")
    .addHelpText("after", "\nExample:\n  platformctl catalog rollback --client <client id> --to 3")
    .action(async ({ client, to }: { client: string; to: string }) => {
      const read = readInteger(to, 1, 4_294_967_295);
      if ("problem" in read) throw new UsageError(`--to ${read.problem}`);
      const request = { projectClientId: client, version: read.value };
      const { version, added, changed, removed, unchanged } = await versions().rollBackCatalog(
        request,
        ctl.call(client),
      );
      ctl.print({ version, added, changed, removed, unchanged }, () =>
        [`version ${version}`, ...linesOf({ added, changed, removed, unchanged })].join("\n"),
      );
    });
  catalog
    .command("show")
    .description("Show the current catalog of a project.")
    .requiredOption("--client <id>", "Project Client id")
    .addHelpText("after", "\nExample:\n  platformctl catalog show --client <client id>")
    .action(async ({ client }: { client: string }) => {
      const { templates } = await admin().showCatalog({ projectClientId: client }, ctl.call(client));
      ctl.print({ templates: templates.map(catalogFileEntry) });
    });
}

type Changes = {
  readonly added: readonly string[];
  readonly changed: readonly string[];
  readonly removed: readonly string[];
  readonly unchanged: number;
};

const linesOf = ({ added, changed, removed, unchanged }: Changes): string[] => [
  ...added.map((name) => `+ ${name}`),
  ...changed.map((name) => `~ ${name}`),
  ...removed.map((name) => `- ${name}`),
  `${added.length} added, ${changed.length} changed, ${removed.length} removed, ${unchanged} unchanged`,
];

function readCatalog(ctl: Ctl, path: string) {
  const text = ctl.readDocument(path, "--file");
  const where = text === path ? "--file" : `--file ${path}`;
  let parsed: unknown;
  try {
    parsed = parse(text);
  } catch (error) {
    throw new UsageError(`${where}: ${(error as Error).message}`);
  }
  const read = readCatalogFile(parsed);
  if ("templates" in read) return read.templates;
  throw new UsageError(`${where}: ${read.problems.join("; ")}`);
}
