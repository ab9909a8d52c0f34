import type { Command } from "commander";
import type { Ctl } from "../../ctl.ts";
import { topLevel } from "../../top-level.ts";
import { UsageError } from "../../usage-error.ts";
import { envelope } from "./event-envelope.ts";
import { followEvents, stopOnSignal } from "./follow-events.ts";
import { lastPosition, registerListEvents } from "./list-events.ts";

type Options = { client: string; from?: string; type: string[]; limit?: string; untilEnd?: boolean };

/** Commands of Domain Events. */
export function registerEventLogCommands(program: Command, ctl: Ctl): void {
  const events = topLevel(program, "events");
  registerListEvents(events, ctl);

  events
    .command("tail")
    .description(
      "Print the events of a project in commit order, one JSON object per line, and wait for new ones. Ends with Ctrl-C.",
    )
    .requiredOption("--client <id>", "Project Client id")
    .option("--from <position>", "start after this position; 0 prints all. Default: only new events")
    .option(
      "--type <type>",
      "only events of this type, or with a prefix such as order.*; can be repeated",
      (type: string, all: string[]) => [...all, type],
      [],
    )
    .option("--limit <n>", "exit after this number of events")
    .option("--until-end", "print the events that exist now and exit; without --from, all of them")
    .addHelpText(
      "after",
      `
Examples:
  platformctl events tail --client <client id>
  platformctl events tail --client <client id> --from 0 --limit 10
  platformctl events tail --client <client id> --from 1234 --type order.placed
  platformctl events tail --client <client id> --until-end

To continue where you stopped, pass the last printed position as --from.`,
    )
    .action(async (options: Options) => {
      const end = options.untilEnd === true ? await lastPosition(ctl, options.client) : undefined;
      const from = count("--from", options.from) ?? (end === undefined ? undefined : 0);
      const limit = count("--limit", options.limit) ?? Number.POSITIVE_INFINITY;
      await followEvents(
        ctl,
        { client: options.client, from, types: options.type, limit, end },
        stopOnSignal(),
        (position, event) => ctl.printLine({ position, event: envelope(event) }),
      );
    });
}

function count(option: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (!/^\d{1,15}$/.test(text)) throw new UsageError(`${option} takes a whole number from 0`);
  return Number(text);
}
