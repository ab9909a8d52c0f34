import { setTimeout as delay } from "node:timers/promises";
import { type Timestamp, timestampDate } from "@bufbuild/protobuf/wkt";
import { requests as table } from "@platform/contracts/operator/requests";
import { rowOf } from "@platform/contracts/operator/row-values";
import { defined } from "@platform/kit/process/fields";
import { isServiceError } from "@platform/kit/rpc/errors";
import { RequestLineSchema, RequestLogAdminService } from "@platform/proto/identity/v1/request_log_admin";
import type { Command } from "commander";
import type { Ctl } from "../../ctl.ts";
import { registerResource } from "../../operator-commands.ts";
import { isoOrNull, readTimestamp } from "../../options.ts";
import { printPage } from "../../pages.ts";
import { topLevel } from "../../top-level.ts";
import { stopOnSignal } from "../events/follow-events.ts";

const reconnectMs = 500;
/** If a stream is rejected within this time, it never had a valid assertion. If it is rejected later, its assertion has expired. */
const assertionMsMin = 5_000;

/** Commands `requests …`, for the request log. */
export function registerRequestCommands(program: Command, ctl: Ctl): void {
  const requests = topLevel(program, "requests");
  registerResource(requests, ctl, table);

  requests
    .command("tail")
    .description("Print the requests of a project as they are logged, one JSON object per line. Ends with Ctrl-C.")
    .requiredOption("--client <id>", "Project Client id")
    .addHelpText("after", "\nExample:\n  platformctl requests tail --client <client id>")
    .action(async ({ client }: { client: string }) => {
      await followRequests(ctl, client, stopOnSignal().signal);
    });

  requests
    .command("gaps")
    .description(
      "Show which requests are missing from a project's log: those that exceeded a gateway's logging limit, and those of gateways that ended before their last report.",
    )
    .requiredOption("--client <id>", "Project Client id")
    .option("--since <time>", "from this time on: RFC 3339, or an age such as 2h or 7d", "24h")
    .addHelpText("after", "\nExample:\n  platformctl requests gaps --client <client id> --since 7d")
    .action(async (options: { client: string; since: string }) => {
      const since = readTimestamp("--since", options.since);
      const admin = ctl.connection("identity").service(RequestLogAdminService);
      const request = { projectClientId: options.client, ...defined({ since }) };
      const { minutes, unreported } = await admin.summarizeRequests(request, ctl.call(options.client));
      const dropped = minutes
        .filter((minute) => minute.dropped > 0)
        .map((minute) => ({ at: isoOrNull(minute.at), reason: "dropped", count: minute.dropped }));
      const ended = unreported.map((time) => ({ at: isoOrNull(time.since), reason: "unreported", count: null }));
      printPage(
        ctl,
        [...dropped, ...ended].sort((a, b) => String(a.at).localeCompare(String(b.at))),
        "",
      );
    });
}

/**
 * Prints requests until a signal. When the server stops or the assertion expires, it continues after the last printed
 * request.
 */
async function followRequests(ctl: Ctl, projectClientId: string, signal: AbortSignal): Promise<void> {
  const admin = ctl.connection("identity").service(RequestLogAdminService);
  let after: Timestamp | undefined;
  let hasRead = false;
  while (!signal.aborted) {
    const startedAtMs = performance.now();
    const { context } = ctl.call(projectClientId);
    const request = { projectClientId, ...defined({ after }) };
    try {
      for await (const { request: line } of admin.tailRequests(request, { context, signal })) {
        hasRead = true;
        if (line === undefined) continue;
        ctl.printLine(rowOf(RequestLineSchema, table.columns, line));
        if (line.at !== undefined && (after === undefined || timestampDate(line.at) > timestampDate(after)))
          after = line.at;
      }
    } catch (error) {
      if (signal.aborted) return;
      const isLost = hasRead && isServiceError(error, "dependency_unavailable");
      const isExpired = isServiceError(error, "unauthenticated") && performance.now() - startedAtMs >= assertionMsMin;
      if (!isLost && !isExpired) throw error;
    }
    await delay(reconnectMs, null, { signal }).catch(() => {});
  }
}
