import { type ServiceName, servicesThat } from "@platform/contracts/services";
import { type Retention, RetentionAdminService } from "@platform/proto/operator/v1/retention_admin";
import type { Command } from "commander";
import type { Ctl } from "../ctl.ts";
import { readInteger } from "../options.ts";
import { topLevel } from "../top-level.ts";
import { UsageError } from "../usage-error.ts";

const daysMax = 3_650;

/** Commands `retention …`, for the time for which a Project Client's records are kept. */
export function registerRetentionCommands(program: Command, ctl: Ctl): void {
  const admin = (service: ServiceName) => ctl.connection(service).service(RetentionAdminService);
  /** Asks each service for the retention of each kind of a client's records. */
  const askAll = (projectClientId: string) =>
    servicesThat("retention").map(async (service) => {
      const { retentions } = await admin(service).showRetention({ projectClientId }, ctl.call(projectClientId));
      return retentions.map((each) => ({ ...each, service }));
    });
  const retention = topLevel(program, "retention");
  retention
    .command("show")
    .description("Show how many days each kind of record is kept; null means unlimited.")
    .requiredOption("--client <id>", "Project Client id")
    .addHelpText("after", "\nExample:\n  platformctl retention show --client <client id>")
    .action(async ({ client }: { client: string }) => {
      ctl.print((await Promise.all(askAll(client))).flat().map(retentionForm));
    });
  retention
    .command("set")
    .description("Set how many days one kind of record is kept. Workers remove older records within one hour.")
    .requiredOption("--client <id>", "Project Client id")
    .requiredOption("--kind <kind>", "a kind that retention show prints")
    .requiredOption("--days <n>", `1 to ${daysMax}`)
    .addHelpText("after", "\nExample:\n  platformctl retention set --client <client id> --kind deliveries --days 90")
    .action(async ({ client, kind, days }: { client: string; kind: string; days: string }) => {
      const request = { projectClientId: client, kind, days: readInteger("--days", days, 1, daysMax) };
      // Another service may be down. That only matters if the kind may be one of its own.
      const replies = await Promise.allSettled(askAll(client));
      const known = replies.flatMap((reply) => (reply.status === "fulfilled" ? reply.value : []));
      const service = known.find((each) => each.kind === kind)?.service;
      const failed = replies.find((reply) => reply.status === "rejected");
      if (service === undefined && failed !== undefined) throw failed.reason;
      if (service === undefined) throw new UsageError(`--kind takes ${known.map((each) => each.kind).join(", ")}`);
      const reply = await admin(service).setRetention(request, ctl.call(client));
      if (reply.retention === undefined) throw new Error(`${service}-svc answered without a retention`);
      ctl.print(retentionForm(reply.retention));
    });
}

function retentionForm({ kind, days, isDefault }: Pick<Retention, "kind" | "days" | "isDefault">) {
  return { kind, days: days ?? null, is_default: isDefault };
}
