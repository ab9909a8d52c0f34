import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { serviceNames } from "@platform/contracts/services";
import { ProjectClientAdminService } from "@platform/proto/identity/v1/identity_admin";
import { type FoundRecord, RecordSearchAdminService } from "@platform/proto/operator/v1/record_search_admin";
import type { Command } from "commander";
import type { Ctl } from "../ctl.ts";
import { isoOrNull, readTime } from "../options.ts";
import { printPage } from "../pages.ts";
import { topLevel } from "../top-level.ts";

const pageSize = 500;
/** Maximum number of clients whose records are searched for a key. */
const clientsMax = 5_000;

/** Command `find`: finds a record in any service. */
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
    .requiredOption("--text <text>", "text to search for")
    .option("--client <id>", "only search the keys and correlation ids of the project with this Project Client id")
    .option(
      "--since <time>",
      "search for a correlation id from this time on; default: the day that its UUIDv7 contains, or the last day",
    )
    .addHelpText("after", "\nExample:\n  platformctl find --text order-4711-confirmation --client <client id>")
    .action(async ({ text, client, since }: { text: string; client?: string; since?: string }) => {
      const time = since === undefined ? {} : { since: timestampFromDate(readTime("--since", since)) };
      const projectClientIds = client === undefined ? await allClients() : [client];
      const request = { text, projectClientIds, ...time };
      const replies = await Promise.all(
        serviceNames.map((service) =>
          ctl.connection(service).service(RecordSearchAdminService).findRecords(request, ctl.call()),
        ),
      );
      printPage(ctl, replies.flatMap(({ records }) => records).map(toPrint), "");
      if (replies.some(({ isPartial }) => isPartial))
        process.stderr.write("The search is incomplete. Add --client, or use a later --since.\n");
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
