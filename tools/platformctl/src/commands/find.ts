import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { ProjectClientAdminService } from "@platform/proto/identity/v1/identity_admin";
import { type FoundRecord, RecordSearchAdminService } from "@platform/proto/operator/v1/record_search_admin";
import type { Command } from "commander";
import type { Ctl } from "../ctl.ts";
import { isoOrNull, readTime } from "../options.ts";
import { printPage } from "../pages.ts";
import { topLevel } from "../top-level.ts";

const services = ["identity", "files", "notify", "events", "ads"] as const;
const pageSize = 500;
/** Clients whose records are looked through for a key. */
const clientsMax = 5_000;

/** `find`: a record of any service. */
export function registerFindCommand(program: Command, ctl: Ctl): void {
  const allClients = async (): Promise<string[]> => {
    const ids: string[] = [];
    for (let afterId = "", isMore = true; isMore && ids.length < clientsMax; ) {
      const page = await ctl
        .connection("identity")
        .service(ProjectClientAdminService)
        .listProjectClients({ afterId, pageSize }, ctl.call());
      ids.push(...page.projectClients.map(({ id }) => id));
      isMore = page.projectClients.length === pageSize;
      afterId = ids.at(-1) ?? "";
    }
    return ids;
  };

  topLevel(program, "find")
    .requiredOption("--text <text>", "what to look for")
    .option("--client <id>", "only this client's keys and correlation ids")
    .option(
      "--since <time>",
      "look for a correlation id from this time on; default: the day of its UUIDv7, or the last day",
    )
    .addHelpText("after", "\nExample:\n  platformctl find --text order-4711-confirmation --client <client id>")
    .action(async ({ text, client, since }: { text: string; client?: string; since?: string }) => {
      const time = since === undefined ? {} : { since: timestampFromDate(readTime("--since", since)) };
      const projectClientIds = client === undefined ? await allClients() : [client];
      const request = { text, projectClientIds, ...time };
      const replies = await Promise.all(
        services.map((service) =>
          ctl.connection(service).service(RecordSearchAdminService).findRecords(request, ctl.call()),
        ),
      );
      printPage(ctl, replies.flatMap(({ records }) => records).map(toPrint), "");
      if (replies.some(({ isPartial }) => isPartial))
        process.stderr.write("Not everything was looked through: name --client, or a later --since.\n");
    });
}

const toPrint = (record: FoundRecord) => ({
  kind: record.kind,
  id: record.id,
  matched: record.matched,
  label: record.label,
  project_client_id: record.projectClientId ?? null,
  parent_id: record.parentId ?? null,
  created_at: isoOrNull(record.createdAt),
});
