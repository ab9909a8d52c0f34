import { type Timestamp, timestampDate } from "@bufbuild/protobuf/wkt";
import { schedules as table } from "@platform/contracts/operator/schedules";
import { defined } from "@platform/kit/process/fields";
import { ScheduledOperationAdminService, type ScheduledRun } from "@platform/proto/events/v1/events_admin";
import type { Command } from "commander";
import type { Ctl } from "../../ctl.ts";
import { registerResource } from "../../operator-commands.ts";
import { topLevel } from "../../top-level.ts";
import { UsageError } from "../../usage-error.ts";
import { registerFailedRunCommands } from "./failed-runs.ts";

/**
 * Commands for scheduled operations, except those of the operator table: a run can be repeated by its operation or by
 * its own id, and the list of runs contains their attempts.
 */
export function registerScheduleCommands(program: Command, ctl: Ctl): void {
  const schedules = topLevel(program, "schedules");
  const admin = () => ctl.connection("events").service(ScheduledOperationAdminService);

  registerResource(schedules, ctl, table);

  schedules
    .command("invoke")
    .description("Run an operation once now, or run a failed, skipped or deferred run again under its own id.")
    .option("--operation <id>", "scheduled operation id")
    .option("--invocation <id>", "invocation id of the run to repeat")
    .addHelpText(
      "after",
      "\nExamples:\n  platformctl schedules invoke --operation <id>\n  platformctl schedules invoke --invocation <invocation id>",
    )
    .action(async ({ operation, invocation }: { operation?: string; invocation?: string }) => {
      if ((operation === undefined) === (invocation === undefined)) {
        throw new UsageError("give either --operation or --invocation");
      }
      const { invocationId } =
        invocation === undefined
          ? await admin().invokeScheduledOperation({ operationId: operation ?? "" }, ctl.call())
          : await admin().redriveScheduledRun({ invocationId: invocation }, ctl.call());
      ctl.print({ invocation_id: invocationId });
    });

  schedules
    .command("runs")
    .description("List the runs of an operation with their attempts, newest first.")
    .requiredOption("--operation <id>", "scheduled operation id")
    .option("--limit <n>", "maximum number of runs, up to 1000", "100")
    .option("--responses", "also show the first 1 KiB of the responses of targets that rejected a call")
    .addHelpText("after", "\nExample:\n  platformctl schedules runs --operation <id> --limit 20")
    .action(async (options: { operation: string; limit: string; responses?: true }) => {
      if (!/^[1-9]\d{0,3}$/.test(options.limit)) throw new UsageError("--limit takes a whole number from 1 to 1000");
      const request = { operationId: options.operation, limit: Number(options.limit) };
      const { runs } = await admin().listScheduledRuns(request, ctl.call());
      ctl.print(runs.map((run) => runRow(run, options.responses === true)));
    });

  registerFailedRunCommands(schedules, ctl);
}

const iso = (time: Timestamp | undefined): string | null =>
  time === undefined ? null : timestampDate(time).toISOString();

function runRow(run: ScheduledRun, hasResponses: boolean) {
  return {
    id: run.id,
    scheduled_for: iso(run.scheduledFor),
    status: run.status,
    attempts: run.attempts.map(({ at, statusCode, error, response }) => ({
      at: iso(at),
      status_code: statusCode ?? null,
      error: error ?? null,
      ...(hasResponses ? { response: response ?? null } : {}),
    })),
    ...defined({ error: run.error }),
    ...(run.subscriptionId === undefined ? {} : { subscription_id: run.subscriptionId, event_id: run.eventId }),
  };
}
