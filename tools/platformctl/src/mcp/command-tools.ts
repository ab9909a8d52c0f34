import { getOption } from "@bufbuild/protobuf";
import type { Tool } from "@modelcontextprotocol/sdk/types.js";
import { capitalize } from "@platform/contracts/operator/resource";
import { ClientSource, operator_access } from "@platform/proto/operator/v1/access";
import type { Command } from "commander";
import { type TableEntry, tableEntryOf } from "../operator-commands.ts";
import { type CommandEffect, effectOf } from "./command-effects.ts";
import { commandLineOf, inputSchemaOf } from "./inputs.ts";

/** A command as a tool. */
export type CommandTool = {
  readonly tool: Tool;
  readonly isReading: boolean;
  /** Returns the command line of a call whose input is valid for the tool's schema. */
  commandLine(given: Readonly<Record<string, unknown>>): string[];
};

export type ToolOptions = {
  /** The Project Client to which all calls are limited; null if each call names one. */
  readonly onlyClientId: string | null;
  /** True if commands that change something are tools. */
  readonly isWriting: boolean;
};

/** Options of commands with code of their own that name something which belongs to one Project Client. */
const ownedByClient: ReadonlySet<string> = new Set(["campaign", "invocation", "operation", "profile"]);
/** Options that commands accept instead of `--client`. */
const insteadOfClient: Readonly<Record<string, string>> = { "deliveries retry": "delivery" };

/** Returns the tools, in the order of the help. */
export function commandTools(program: Command, options: ToolOptions): ReadonlyMap<string, CommandTool> {
  const tools = leavesOf(program).flatMap(({ path, command }): CommandTool[] => {
    const effect = effectOf(path.join(" "), command);
    if (effect === null || (!effect.isReading && !options.isWriting)) return [];
    if (options.onlyClientId !== null && !isOfClient(command)) return [];
    return [toolOf(path, command, effect, options.onlyClientId)];
  });
  return new Map(tools.map((one) => [one.tool.name, one]));
}

type Leaf = { readonly path: readonly string[]; readonly command: Command };

function leavesOf(command: Command, path: readonly string[] = []): Leaf[] {
  if (command.commands.length === 0) return path.length === 0 ? [] : [{ path, command }];
  return command.commands.flatMap((child) => leavesOf(child, [...path, child.name()]));
}

const optionNames = (command: Command): string[] => command.options.map(({ long }) => (long ?? "").slice(2));

/** Returns whether a command is about one Project Client or its resources. */
function isOfClient(command: Command): boolean {
  const names = optionNames(command);
  const entry = tableEntryOf(command);
  return (
    names.includes("client") ||
    (entry === undefined ? names.some((name) => ownedByClient.has(name)) : isAboutResourceOfClient(entry))
  );
}

const isAboutResourceOfClient = ({ operation: { rpc } }: TableEntry): boolean =>
  getOption(rpc, operator_access).client === ClientSource.RESOURCE;

function toolOf(
  path: readonly string[],
  command: Command,
  effect: CommandEffect,
  onlyClientId: string | null,
): CommandTool {
  const words = path.join(" ");
  const entry = tableEntryOf(command);
  const isFixed = onlyClientId !== null && optionNames(command).includes("client");
  const leftOut = ["reveal", ...(isFixed ? ["client"] : [])];
  // Without the option that names a resource of the client, the list would contain all projects.
  const isNarrowed = onlyClientId !== null && !isFixed;
  const ids = entry?.operation.fields.filter(({ kind }) => kind === "id") ?? [];
  const alsoRequired = isNarrowed ? ids.map(({ option }) => option) : [];
  const { isReading, isDestructive, isIdempotent, needsReason } = effect;
  const tool: Tool = {
    name: path.join("_").replaceAll("-", "_"),
    title: entry === undefined ? titleOf(path) : `${entry.resource.title}: ${entry.operation.title}`,
    description: entry?.operation.summary ?? command.description(),
    inputSchema: inputSchemaOf(command, {
      leftOut,
      alsoRequired,
      reason: isReading ? "never" : needsReason ? "required" : "optional",
    }) as unknown as Tool["inputSchema"],
    annotations: isReading
      ? { readOnlyHint: true, destructiveHint: false, idempotentHint: true }
      : { readOnlyHint: false, destructiveHint: isDestructive, idempotentHint: isIdempotent },
  };
  const instead = insteadOfClient[words];
  return {
    tool,
    isReading,
    commandLine: (given) => {
      const isInstead = instead !== undefined && given[instead] !== undefined;
      return commandLineOf(path, command, isFixed && !isInstead ? { ...given, client: onlyClientId } : given);
    },
  };
}

/** Returns the title of a command that has code of its own: `operator-actions list` becomes "Operator actions: List". */
function titleOf(path: readonly string[]): string {
  return path.map((word) => capitalize(word.replaceAll("-", " "))).join(": ");
}
