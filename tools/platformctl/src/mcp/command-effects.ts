import { getOption } from "@bufbuild/protobuf";
import { operator_access } from "@platform/proto/operator/v1/access";
import type { Command } from "commander";
import { type TableEntry, tableEntryOf } from "../operator-commands.ts";

/** The effect of a command. The host of an assistant needs it to decide whether to ask the person first. */
export type CommandEffect = {
  readonly isReading: boolean;
  /** True if the command deletes or ends something that belongs to people or projects. */
  readonly isDestructive: boolean;
  /** True if a second call with the same values changes nothing more. */
  readonly isIdempotent: boolean;
  readonly needsReason: boolean;
};

/**
 * Commands that are never tools: those that print or take a secret, sign someone in, act on sessions, erase people and
 * projects, approve as a second person, do not end by themselves, or work on this machine's own settings. The list
 * contains words of the command line. Secrets that the operator table marks are not in it.
 */
const never =
  /^(login|logout|contexts|completion|sessions|persons|erasures|listen|demo|mcp)\b| (issue|rotate|rotate-secret|erase|tail|export|approve)$|^(accounts create|sender-profiles create|sender-profiles update|ads decide|ads attribution)$/;

/** Last words of commands that have code of their own and only read. */
const readingVerbs: ReadonlySet<string> = new Set(
  ["list", "show", "find", "verify", "usage", "whoami", "runs", "failed", "history", "gaps"], // biome-ignore format: a list
);

const idempotent = { isReading: false, isDestructive: false, isIdempotent: true, needsReason: false };
const destructive = { ...idempotent, isDestructive: true };
const cumulative = { ...idempotent, isIdempotent: false };

/**
 * Commands with code of their own that change something and may be tools. A command that is not listed here is not a
 * tool.
 */
const ownActs: Readonly<Record<string, CommandEffect>> = {
  "audits prune": { ...destructive, needsReason: true },
  "catalog apply": destructive,
  "clients create": cumulative,
  "clients disable": { ...destructive, needsReason: true },
  "clients enable": idempotent,
  "clients update": idempotent,
  "contacts remove": destructive,
  "deliveries retry": cumulative,
  "quotas set": idempotent,
  "retention set": destructive,
  "schedules invoke": cumulative,
  "schedules redrive": cumulative,
  "sender-profiles test": cumulative,
  trigger: cumulative,
};

const takesOrPrintsSecret = ({ resource, operation }: TableEntry): boolean =>
  [...operation.fields, ...(operation.columns ?? resource.columns)].some((one) => "isSecret" in one);

/**
 * Returns the effect of a command as a tool, or null for a command that is never a tool.
 * @param words the words of the command, such as `deliveries show`
 */
export function effectOf(words: string, command: Command): CommandEffect | null {
  if (never.test(words)) return null;
  const entry = tableEntryOf(command);
  if (entry !== undefined) {
    if (takesOrPrintsSecret(entry)) return null;
    const { does, rpc, isDanger, isRemoval, isOnce, isCumulative } = entry.operation;
    const isReading = does !== "create" && does !== "act";
    return {
      isReading,
      isDestructive: isDanger === true || isRemoval === true,
      isIdempotent: isReading || (does === "act" && isOnce !== true && isCumulative !== true),
      needsReason: getOption(rpc, operator_access).reasonRequired,
    };
  }
  const verb = words.slice(words.lastIndexOf(" ") + 1);
  return readingVerbs.has(verb) ? { ...idempotent, isReading: true } : (ownActs[words] ?? null);
}
