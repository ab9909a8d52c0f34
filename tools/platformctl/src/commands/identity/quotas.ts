import { QuotaLevelService as EventsLevelService } from "@platform/proto/events/v1/events_service";
import { QuotaLevelService as FilesLevelService } from "@platform/proto/files/v1/files_service";
import { ProjectClientAdminService, type QuotaState } from "@platform/proto/identity/v1/identity_admin";
import type { Command } from "commander";
import type { Ctl } from "../../ctl.ts";
import { topLevel } from "../../top-level.ts";
import { parseInteger } from "./timestamps.ts";

/** Commands `quotas …`, for the hard limits of a Project Client. */
export function registerQuotaCommands(program: Command, ctl: Ctl): void {
  const admin = () => ctl.connection("identity").service(ProjectClientAdminService);
  const quotas = topLevel(program, "quotas");

  quotas
    .command("set")
    .description("Set the limit of one resource. Gateways apply it within one second.")
    .requiredOption("--client <id>", "Project Client id")
    .requiredOption(
      "--resource <resource>",
      "api_traffic, events, deliveries, scheduled_invocations, storage_bytes (bytes), …",
    )
    .requiredOption("--limit <limit>", "units per window, at least 1")
    .addHelpText("after", `\nExample:\n  platformctl quotas set --client <id> --resource events --limit 100000`)
    .action(async (options: { client: string; resource: string; limit: string }) => {
      const limit = BigInt(parseInteger("--limit", options.limit, 1));
      const reply = await admin().setQuota(
        { projectClientId: options.client, resource: options.resource, limit },
        ctl.call(),
      );
      if (reply.quota === undefined) throw new Error("identity-svc answered without a quota");
      ctl.print(await quotaForm(ctl, options.client, reply.quota));
    });

  quotas
    .command("show")
    .description("Show the usage and limit of every resource.")
    .requiredOption("--client <id>", "Project Client id")
    .action(async (options: { client: string }) => {
      const reply = await admin().showQuotas({ projectClientId: options.client }, ctl.call());
      const quotas = await Promise.all(reply.quotas.map((quota) => quotaForm(ctl, options.client, quota)));
      const row = ({ resource, used, limit, window }: QuotaForm): string =>
        `${resource.padEnd(22)} ${String(used).padStart(12)} of ${String(limit).padStart(12)}  ${window === "level" ? "in store" : `this ${window}`}${stateOf(used, limit)}`;
      ctl.print(quotas, () => quotas.map(row).join("\n"));
    });
}

type QuotaForm = {
  readonly resource: string;
  readonly used: number;
  readonly limit: number;
  readonly window: string;
};

/**
 * Formats a quota for printing. If a gauge is 0 in the counters of Redis, the counters may have been lost, so the service that owns the gauge counts it. The
 * next request of the client that spends the quota restores the counters.
 */
async function quotaForm(ctl: Ctl, clientId: string, quota: QuotaState): Promise<QuotaForm> {
  const { resource, limit, window } = quota;
  const isUnknown = window === "level" && quota.used === 0n;
  const used = isUnknown ? await countGauge(ctl, clientId, resource) : quota.used;
  return { resource, used: Number(used), limit: Number(limit), window };
}

/** Returns `warning` from 80 % of the limit on, and `reached` from 100 % on. */
function stateOf(used: number, limit: number): string {
  if (used >= limit) return "  reached";
  return used * 100 >= limit * 80 ? "  warning" : "";
}

/** Counts a gauge at the service that owns it. Returns 0 for a gauge that no operation spends yet. */
async function countGauge(ctl: Ctl, clientId: string, resource: string): Promise<bigint> {
  const call = ctl.call(clientId);
  switch (resource) {
    case "storage_bytes":
      return (await ctl.connection("files").service(FilesLevelService).getQuotaLevel({ resource }, call)).used;
    case "audit_retention":
      return (await ctl.connection("events").service(EventsLevelService).getQuotaLevel({ resource }, call)).used;
    default:
      return 0n;
  }
}
