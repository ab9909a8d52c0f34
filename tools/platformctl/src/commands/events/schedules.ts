import { type Timestamp, timestampDate } from "@bufbuild/protobuf/wkt";
import {
  type ScheduledOperation,
  ScheduledOperationAdminService,
  type ScheduledRun,
} from "@platform/proto/events/v1/events_admin";
import type { Command } from "commander";
import type { Ctl } from "../../ctl.ts";
import { limitOption, readLimit } from "../../pages.ts";
import { topLevel } from "../../top-level.ts";
import { UsageError } from "../../usage-error.ts";
import { registerFailedRunCommands } from "./failed-runs.ts";

const overlapHelp = "allow: both are made (default); skip: the later is not; queue: the later is made after it";

/** Commands of scheduled operations. */
export function registerScheduleCommands(program: Command, ctl: Ctl): void {
  const schedules = topLevel(program, "schedules");
  const admin = () => ctl.connection("events").service(ScheduledOperationAdminService);

  limitOption(schedules.command("list"))
    .description("List a client's scheduled operations.")
    .requiredOption("--client <id>", "Project Client id")
    .addHelpText("after", "\nExample:\n  platformctl schedules list --client <client id>")
    .action(async ({ client, ...options }: { client: string; limit?: string }) => {
      const limit = readLimit(options);
      const { operations } = await admin().listScheduledOperations({ projectClientId: client }, ctl.call());
      ctl.print(operations.slice(0, limit).map(operationRow));
    });

  schedules
    .command("set-cron")
    .description("Attach a schedule to an operation, replacing any earlier one. It counts from now.")
    .requiredOption("--operation <id>", "scheduled operation id")
    .requiredOption("--cron <fields>", "five fields: minute, hour, day of month, month, day of week")
    .requiredOption("--timezone <name>", "IANA time zone the fields are read in, such as Asia/Tokyo")
    .option("--overlap <policy>", overlapHelp)
    .addHelpText(
      "after",
      `
Examples:
  platformctl schedules set-cron --operation <id> --cron "*/5 * * * *" --timezone Asia/Tokyo
  platformctl schedules set-cron --operation <id> --cron "30 2 * * 1-5" --timezone Europe/Berlin

When clocks change: a fixed time in the missing hour runs at the first minute after it, one in the repeated hour runs once.`,
    )
    .action(async (options: { operation: string; cron: string; timezone: string; overlap?: string }) => {
      const { operation, ...schedule } = options;
      const answer = await admin().setScheduledOperationCron({ operationId: operation, ...schedule }, ctl.call());
      ctl.print(operationRow(answer.operation));
    });

  schedules
    .command("set-overlap")
    .description("Set what happens to a run that is due while one before it is not over.")
    .requiredOption("--operation <id>", "scheduled operation id")
    .requiredOption("--policy <policy>", overlapHelp)
    .addHelpText("after", "\nExample:\n  platformctl schedules set-overlap --operation <id> --policy skip")
    .action(async ({ operation, policy }: { operation: string; policy: string }) => {
      const request = { operationId: operation, overlap: policy };
      const answer = await admin().setScheduledOperationOverlap(request, ctl.call());
      ctl.print(operationRow(answer.operation));
    });

  schedules
    .command("invoke")
    .description("Run an operation once, now; or run a failed, skipped or deferred run again under its own id.")
    .option("--operation <id>", "scheduled operation id")
    .option("--invocation <id>", "invocation id of the run to make again")
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
    .option("--limit <n>", "at most this many runs, up to 1000", "100")
    .option("--responses", "also show the first 1 KiB of what a refusing target answered")
    .addHelpText("after", "\nExample:\n  platformctl schedules runs --operation <id> --limit 20")
    .action(async (options: { operation: string; limit: string; responses?: true }) => {
      if (!/^[1-9]\d{0,3}$/.test(options.limit)) throw new UsageError("--limit takes a whole number from 1 to 1000");
      const request = { operationId: options.operation, limit: Number(options.limit) };
      const { runs } = await admin().listScheduledRuns(request, ctl.call());
      ctl.print(runs.map((run) => runRow(run, options.responses === true)));
    });

  registerFailedRunCommands(schedules, ctl);

  schedules
    .command("enable")
    .description("Turn an operation on again; its schedule goes on from now.")
    .requiredOption("--operation <id>", "scheduled operation id")
    .addHelpText("after", "\nExample:\n  platformctl schedules enable --operation <id>")
    .action(async ({ operation }: { operation: string }) => {
      const answer = await admin().enableScheduledOperation({ operationId: operation }, ctl.call());
      ctl.print(operationRow(answer.operation));
    });

  schedules
    .command("disable")
    .description("Turn an operation off; nothing calls it until it is enabled.")
    .requiredOption("--operation <id>", "scheduled operation id")
    .addHelpText("after", "\nExample:\n  platformctl schedules disable --operation <id>")
    .action(async ({ operation }: { operation: string }) => {
      const answer = await admin().disableScheduledOperation({ operationId: operation }, ctl.call());
      ctl.print(operationRow(answer.operation));
    });
}

const iso = (time: Timestamp | undefined): string | null =>
  time === undefined ? null : timestampDate(time).toISOString();

function operationRow(operation: ScheduledOperation | undefined) {
  if (operation === undefined) throw new Error("events-svc answered without an operation");
  return {
    id: operation.id,
    name: operation.name,
    url: operation.url,
    max_attempts: operation.maxAttempts,
    status: operation.status,
    cron: operation.cron ?? null,
    timezone: operation.timezone ?? null,
    next_due_at: iso(operation.nextDueAt),
    ...(operation.overlap === "allow" ? {} : { overlap: operation.overlap }),
  };
}

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
    ...(run.error === undefined ? {} : { error: run.error }),
    ...(run.subscriptionId === undefined ? {} : { subscription_id: run.subscriptionId, event_id: run.eventId }),
  };
}
