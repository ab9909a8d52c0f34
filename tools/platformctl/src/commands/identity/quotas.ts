import { ProjectClientAdminService, type QuotaState } from "@platform/proto/identity/v1/identity_admin";
import type { Command } from "commander";
import type { Ctl } from "../../ctl.ts";
import { parseInteger } from "./timestamps.ts";

/** `quotas …`: hard limits of a Project Client. */
export function registerQuotaCommands(program: Command, ctl: Ctl): void {
  const admin = () => ctl.connection("identity").service(ProjectClientAdminService);
  const quotas = program
    .command("quotas")
    .description("Hard quotas of a Project Client, counted per resource and window (UTC).");

  quotas
    .command("set")
    .description("Override one limit; gateways learn of it within a second.")
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
      ctl.print(quotaForm(reply.quota));
    });

  quotas
    .command("show")
    .description("Show use and limit of every resource.")
    .requiredOption("--client <id>", "Project Client id")
    .action(async (options: { client: string }) => {
      const reply = await admin().showQuotas({ projectClientId: options.client }, ctl.call());
      const row = ({ resource, used, limit, window }: QuotaState): string =>
        `${resource.padEnd(22)} ${String(used).padStart(12)} of ${String(limit).padStart(12)}  ${window === "level" ? "in store" : `this ${window}`}`;
      ctl.print(reply.quotas.map(quotaForm), () => reply.quotas.map(row).join("\n"));
    });
}

function quotaForm({ resource, used, limit, window }: QuotaState) {
  return { resource, used: Number(used), limit: Number(limit), window };
}
