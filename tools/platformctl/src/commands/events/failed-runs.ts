import { defined } from "@platform/kit/process/fields";
import { type FailedRun, ScheduledRunAdminService } from "@platform/proto/events/v1/scheduled_run_admin";
import type { Command } from "commander";
import { untilAnswered } from "../../bulk.ts";
import type { Ctl } from "../../ctl.ts";
import { isoOrNull, readInteger, readTimestamp } from "../../options.ts";
import { type PageOptions, pageOptions, printPage, readPage } from "../../pages.ts";
import { sumBatches } from "../../progress.ts";
import { readSecret } from "../../secrets.ts";
import { UsageError } from "../../usage-error.ts";

type SpanOptions = { readonly client: string; readonly since?: string; readonly until?: string };

/** Number of runs in one call of a bulk redrive. It is small, so that one write does not flood the workers. */
const batch = 100;
const overlapSecondsMax = 30 * 86_400;

/** Commands `schedules failed`, `redrive` and `rotate-secret`. */
export function registerFailedRunCommands(schedules: Command, ctl: Ctl): void {
  const admin = () => ctl.connection("events").service(ScheduledRunAdminService);

  pageOptions(schedules.command("failed"))
    .description("List the failed runs of all scheduled operations, newest first.")
    .option("--client <id>", "only runs of the project with this Project Client id")
    .option("--since <time>", "scheduled for this time or later: RFC 3339, or an age such as 2h or 7d")
    .option("--until <time>", "scheduled for before this time")
    .addHelpText("after", "\nExample:\n  platformctl schedules failed --client <client id> --since 1d")
    .action(async (options: PageOptions & Omit<SpanOptions, "client"> & { client?: string }) => {
      const request = { projectClientId: options.client ?? "", ...spanOf(options), ...readPage(options) };
      const { runs, nextCursor } = await admin().listFailedRuns(request, ctl.call(options.client));
      printPage(ctl, runs.map(runForm), nextCursor);
    });

  schedules
    .command("redrive")
    .description("Run a project's failed runs again, with the same invocation ids and a full set of attempts.")
    .requiredOption("--client <id>", "Project Client id")
    .requiredOption("--status <status>", "failed")
    .requiredOption("--since <time>", "scheduled for this time or later: RFC 3339, or an age such as 2h or 7d")
    .option("--until <time>", "scheduled for before this time")
    .option("--dry-run", "only count the runs")
    .addHelpText(
      "after",
      `
Example:
  platformctl schedules redrive --client <client id> --status failed --since 12h --dry-run

Runs of disabled operations are skipped. If a redrive is interrupted, repeat it with the same options.`,
    )
    .action(async (options: SpanOptions & { status: string; dryRun?: true }) => {
      if (options.status !== "failed") throw new UsageError("--status must be failed");
      // The redrive does not include runs that fail after it has started.
      const span = spanOf({ until: new Date().toISOString(), ...options });
      const sum = await sumBatches("runs", async (cursor) => {
        const { matched, redriven, skipped, nextCursor } = await untilAnswered(() =>
          admin().redriveRuns(
            { projectClientId: options.client, ...span, dryRun: options.dryRun === true, limit: batch, cursor },
            ctl.call(options.client),
          ),
        );
        return [{ matched, redriven, skipped }, nextCursor];
      });
      ctl.print(sum);
    });

  schedules
    .command("rotate-secret")
    .description(
      "Replace the secret that signs the calls of an operation. During the overlap, each call has two signatures.",
    )
    .requiredOption("--operation <id>", "scheduled operation id")
    .option(
      "--secret-stdin",
      "read the new secret, 32 to 255 characters, from standard input; without this option, you are prompted for it",
    )
    .option(
      "--overlap-seconds <seconds>",
      "how long the old secret also signs the calls (default 86400; 0 ends it immediately)",
    )
    .addHelpText(
      "after",
      "\nExample:\n  platformctl schedules rotate-secret --operation <id> --secret-stdin --overlap-seconds 3600 < secret.txt",
    )
    .action(async (options: { operation: string; overlapSeconds?: string; secretStdin?: true }) => {
      const { operation: operationId, overlapSeconds, secretStdin } = options;
      const overlap =
        overlapSeconds === undefined
          ? {}
          : { overlapSeconds: readInteger("--overlap-seconds", overlapSeconds, 0, overlapSecondsMax) };
      const secret = await readSecret(ctl, "--secret-stdin", secretStdin === true, "the new secret");
      const answer = await admin().rotateScheduledSecret({ operationId, secret, ...overlap }, ctl.call());
      ctl.print({ operation_id: answer.operationId, previous_until: isoOrNull(answer.previousUntil) });
    });
}

function spanOf(options: Pick<SpanOptions, "since" | "until">) {
  const since = readTimestamp("--since", options.since);
  const until = readTimestamp("--until", options.until);
  return defined({ since, until });
}

function runForm(run: FailedRun) {
  return {
    id: run.id,
    project_client_id: run.projectClientId,
    operation_id: run.operationId,
    operation_name: run.operationName === "" ? null : run.operationName,
    scheduled_for: isoOrNull(run.scheduledFor),
    status: "failed",
    attempts: run.attempts,
    status_code: run.statusCode ?? null,
    error: run.error ?? null,
  };
}
