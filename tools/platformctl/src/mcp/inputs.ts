import type { Field } from "@platform/contracts/operator/resource";
import type { Command, Option } from "commander";
import { tableEntryOf } from "../operator-commands.ts";

/** A parameter of a tool as JSON Schema. */
export type Parameter = {
  readonly type: "string" | "integer" | "boolean" | "array";
  readonly description: string;
  readonly items?: { readonly type: "string" };
  readonly enum?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
};

export type InputSchema = {
  readonly type: "object";
  readonly properties: Record<string, Parameter>;
  readonly required: string[];
  readonly additionalProperties: false;
};

const limitMax = 200;

/** Returns the long name of an option without its dashes. */
const longOf = ({ long }: Option): string => (long ?? "").slice(2);

/** Returns the name of the parameter for an option, with `_` instead of `-`. */
export const parameterName = (option: string): string => option.replaceAll("-", "_");

type InputOptions = {
  /** Options that the tool does not have. */
  readonly leftOut: readonly string[];
  /** Options that are optional for the command and required for the tool. */
  readonly alsoRequired: readonly string[];
  /** Whether the tool takes a reason; `never` if nothing is recorded. */
  readonly reason: "never" | "optional" | "required";
};

/** Returns the input schema of a command as a tool. */
export function inputSchemaOf(command: Command, { leftOut, alsoRequired, reason }: InputOptions): InputSchema {
  const properties: Record<string, Parameter> = {};
  const required: string[] = [];
  for (const argument of command.registeredArguments) {
    properties[parameterName(argument.name())] = { type: "string", description: argument.description };
    if (argument.required) required.push(parameterName(argument.name()));
  }
  const fields = tableEntryOf(command)?.operation.fields ?? [];
  for (const option of command.options) {
    const name = longOf(option);
    if (leftOut.includes(name)) continue;
    const field = fields.find((one) => one.option === name);
    properties[parameterName(name)] = field === undefined ? ofOption(option, command) : ofField(field);
    if (option.mandatory || alsoRequired.includes(name)) required.push(parameterName(name));
  }
  if (reason !== "never")
    properties.reason = { type: "string", description: "reason, which is kept in the record of operator actions" };
  if (reason === "required") required.push("reason");
  return { type: "object", properties, required, additionalProperties: false };
}

function ofField({ kind, explanation: description, choices, range }: Field): Parameter {
  switch (kind) {
    case "flag":
      return { type: "boolean", description };
    case "texts":
      return { type: "array", items: { type: "string" }, description };
    case "number":
      return { type: "integer", description, minimum: range?.[0] ?? 0, ...(range && { maximum: range[1] }) };
    case "amount":
    case "position":
      return { type: "integer", description, minimum: 0 };
    case "choice":
      return { type: "string", description, ...(choices && { enum: choices }) };
    default:
      return { type: "string", description };
  }
}

function ofOption(option: Option, command: Command): Parameter {
  const { description, flags, long } = option;
  if (!flags.includes("<")) return { type: "boolean", description };
  // The option `--file <id>` of `files show` names a File Object.
  if (long === "--file" && !flags.includes("<id>"))
    return { type: "string", description: `${description}: the text itself, not a path` };
  if (isRepeated(option)) return { type: "array", items: { type: "string" }, description };
  if (long === "--limit")
    return { type: "integer", description, minimum: 1, ...(isPaged(command) && { maximum: limitMax }) };
  const isNumber = /<(n|seconds|seq|position)>/.test(flags);
  return isNumber ? { type: "integer", description, minimum: 0 } : { type: "string", description };
}

/** Returns whether `--limit` is the length of a page, and not for example the limit of a quota. */
const isPaged = (command: Command): boolean => command.options.some(({ long }) => long === "--cursor");

/** Returns whether an option may be repeated. Such an option collects its values. */
function isRepeated({ parseArg }: Option): boolean {
  if (parseArg === undefined) return false;
  try {
    return Array.isArray(parseArg<unknown>("", undefined)) || Array.isArray(parseArg<unknown>("", []));
  } catch {
    return false;
  }
}

/**
 * Creates the command line of a call. Each value is in one word with its option, so that no value is mistaken for an option. * @param given the input, which
 * is valid for the schema
 */
export function commandLineOf(
  path: readonly string[],
  command: Command,
  given: Readonly<Record<string, unknown>>,
): string[] {
  const options = command.options.flatMap((option): string[] => {
    const name = longOf(option);
    const value = given[parameterName(name)];
    if (value === undefined || value === false) return [];
    if (value === true) return [`--${name}`];
    if (!Array.isArray(value)) return [`--${name}=${String(value)}`];
    // A list in the operator table is passed as one text. An option that may be repeated is passed once per value.
    return isRepeated(option) ? value.map((one) => `--${name}=${String(one)}`) : [`--${name}=${value.join(",")}`];
  });
  const words = command.registeredArguments.map((argument) => String(given[parameterName(argument.name())] ?? ""));
  return [...path, ...options, ...(words.length === 0 ? [] : ["--", ...words])];
}
