import { type Timestamp, timestampDate } from "@bufbuild/protobuf/wkt";
import { servicesThat } from "@platform/contracts/services";
import { defined } from "@platform/kit/process/fields";
import { CredentialUsageAdminService } from "@platform/proto/identity/v1/credential_usage_admin";
import { UsageAdminService } from "@platform/proto/operator/v1/usage_admin";
import type { Command } from "commander";
import type { Ctl } from "../../ctl.ts";
import { isoOrNull, readTimestamp } from "../../options.ts";
import { printPage } from "../../pages.ts";
import { topLevel } from "../../top-level.ts";
import { UsageError } from "../../usage-error.ts";

type UsageOptions = {
  readonly client: string;
  readonly kind?: string;
  readonly since: string;
  readonly by: string;
  readonly byCredential?: boolean;
};

/** Command `usage`: prints the usage of a Project Client, hour by hour. */
export function registerUsageCommand(program: Command, ctl: Ctl): void {
  topLevel(program, "usage")
    .requiredOption("--client <id>", "Project Client id")
    .option("--kind <kind>", "requests, or the name of a quota resource")
    .option("--since <time>", "from this time on: RFC 3339, or an age such as 2h or 7d", "24h")
    .option("--by <period>", "hour or day (UTC)", "hour")
    .option("--by-credential", "show requests by credential and operation instead of usage by kind")
    .addHelpText("after", "\nExample:\n  platformctl usage --client <client id> --kind events --since 30d --by day")
    .action(async (options: UsageOptions) => {
      const { client, kind = "", by } = options;
      if (by !== "hour" && by !== "day") throw new UsageError("--by takes hour or day");
      const since = readTimestamp("--since", options.since);
      if (options.byCredential === true) {
        if (kind !== "") throw new UsageError("--kind and --by-credential cannot be combined");
        return printByCredential(ctl, { projectClientId: client, by, ...defined({ since }) });
      }
      const request = { projectClientId: client, kind, by, ...defined({ since }) };
      const replies = await Promise.all(
        servicesThat("quota usage").map((service) =>
          ctl.connection(service).service(UsageAdminService).listUsage(request, ctl.call(client)),
        ),
      );
      const counts = replies.flatMap((reply) => reply.counts);
      const msOf = ({ at }: (typeof counts)[number]): number => (at === undefined ? 0 : timestampDate(at).getTime());
      const sorted = counts.sort((a, b) => msOf(a) - msOf(b) || (a.kind < b.kind ? -1 : 1));
      const items = sorted.map(({ at, kind: name, count }) => ({
        at: isoOrNull(at),
        kind: name,
        count: Number(count),
      }));
      printPage(ctl, items, "");
    });
}

async function printByCredential(
  ctl: Ctl,
  request: { readonly projectClientId: string; readonly by: string; readonly since?: Timestamp },
): Promise<void> {
  const admin = ctl.connection("identity").service(CredentialUsageAdminService);
  const { counts } = await admin.listCredentialUsage(request, ctl.call(request.projectClientId));
  const items = counts.map(({ at, credentialId, operation, count }) => ({
    at: isoOrNull(at),
    credential_id: credentialId,
    operation,
    count: Number(count),
  }));
  printPage(ctl, items, "");
}
