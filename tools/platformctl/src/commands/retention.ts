import type { ServiceName } from "@platform/contracts/services";
import { type Retention, RetentionAdminService } from "@platform/proto/operator/v1/retention_admin";
import type { Command } from "commander";
import type { Ctl } from "../ctl.ts";
import { readInteger } from "../options.ts";
import { topLevel } from "../top-level.ts";
import { UsageError } from "../usage-error.ts";

/** The service that keeps each kind of record. */
const keepers: Readonly<Record<string, ServiceName>> = {
  delivery_contents: "notify",
  deliveries: "notify",
  scheduled_runs: "events",
  domain_events: "events",
  audits: "events",
  rejected_files: "files",
  request_log: "identity",
};
const daysMax = 3_650;

/** Commands `retention …`, for the time for which a Project Client's records are kept. */
export function registerRetentionCommands(program: Command, ctl: Ctl): void {
  const admin = (service: ServiceName) => ctl.connection(service).service(RetentionAdminService);
  const retention = topLevel(program, "retention");
  retention
    .command("show")
    .description("Show how many days each kind of record is kept; null means unlimited.")
    .requiredOption("--client <id>", "Project Client id")
    .addHelpText("after", "\nExample:\n  platformctl retention show --client <client id>")
    .action(async ({ client }: { client: string }) => {
      const services = [...new Set(Object.values(keepers))];
      const replies = await Promise.all(
        services.map((service) => admin(service).showRetention({ projectClientId: client }, ctl.call(client))),
      );
      ctl.print(replies.flatMap(({ retentions }) => retentions.map(retentionForm)));
    });
  retention
    .command("set")
    .description("Set how many days one kind of record is kept. Workers remove older records within one hour.")
    .requiredOption("--client <id>", "Project Client id")
    .requiredOption("--kind <kind>", Object.keys(keepers).join(", "))
    .requiredOption("--days <n>", `1 to ${daysMax}`)
    .addHelpText("after", "\nExample:\n  platformctl retention set --client <client id> --kind deliveries --days 90")
    .action(async ({ client, kind, days }: { client: string; kind: string; days: string }) => {
      const service = Object.hasOwn(keepers, kind) ? keepers[kind] : undefined;
      if (service === undefined) throw new UsageError(`--kind takes ${Object.keys(keepers).join(", ")}`);
      const request = { projectClientId: client, kind, days: readInteger("--days", days, 1, daysMax) };
      const reply = await admin(service).setRetention(request, ctl.call(client));
      if (reply.retention === undefined) throw new Error(`${service}-svc answered without a retention`);
      ctl.print(retentionForm(reply.retention));
    });
}

function retentionForm({ kind, days, isDefault }: Retention) {
  return { kind, days: days ?? null, is_default: isDefault };
}
