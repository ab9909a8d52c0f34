import type { Command } from "commander";
import type { Ctl } from "./ctl.ts";
import { readInteger } from "./options.ts";

/*
 * Write every new list in this way: it prints one page of an RPC's response. The RPC takes `limit` and `cursor` and returns `next_cursor`:
 *
 *   pageOptions(deliveries.command("list"))
 *     .option("--since <time>", "…")
 *     .action(async (options: PageOptions & { since?: string }) => {
 *       const since = readTimestamp("--since", options.since);
 *       const reply = await admin().listDeliveries({ ...readPage(options), ...(since && { since }) }, ctl.call());
 *       printPage(ctl, reply.deliveries.map(deliveryRow), reply.nextCursor);
 *     });
 *
 * --reason and --json are options of every command: `ctl.call()` and `ctl.print()` know of them, so a command does not declare them.
 */

const limitMax = 200;

/** The options that `pageOptions` adds to a command. */
export type PageOptions = { readonly limit: string; readonly cursor?: string };

/** Adds --limit and --cursor to a list. */
export function pageOptions(command: Command): Command {
  return command
    .option("--limit <n>", `maximum number of rows, 1 to ${limitMax}`, "50")
    .option("--cursor <cursor>", "next_cursor of the previous page");
}

/** Adds --limit to a list that prints all rows as one array. */
export function limitOption(command: Command): Command {
  return command.option("--limit <n>", `maximum number of rows, 1 to ${limitMax}; default: all`);
}

/** Returns the number of rows to print. Throws a UsageError if --limit is not valid. */
export function readLimit({ limit }: { readonly limit?: string }): number {
  return limit === undefined ? Number.POSITIVE_INFINITY : readInteger("--limit", limit, 1, limitMax);
}

/** Returns the page to request from an RPC. Throws a UsageError if --limit is not valid. */
export function readPage({ limit, cursor }: PageOptions): { limit: number; cursor: string } {
  return { limit: readInteger("--limit", limit, 1, limitMax), cursor: cursor ?? "" };
}

/**
 * Prints a page: a table on a terminal, otherwise `{"items": […], "next_cursor": string | null}`.
 * @param nextCursor empty for the last page
 */
export function printPage(ctl: Ctl, items: readonly object[], nextCursor: string): void {
  ctl.print({ items, next_cursor: nextCursor === "" ? null : nextCursor });
}
