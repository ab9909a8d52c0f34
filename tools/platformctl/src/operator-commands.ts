import { getOption, type Message } from "@bufbuild/protobuf";
import { readFields } from "@platform/contracts/operator/field-values";
import {
  type Field,
  type FieldKind,
  isAboutOne,
  nextField,
  type Operation,
  type Resource,
  requestWith,
  subjectOf,
} from "@platform/contracts/operator/resource";
import { messageOf, messagesIn, plainOf, rowIn, rowOf } from "@platform/contracts/operator/row-values";
import type { ServiceName } from "@platform/contracts/services";
import { type CallOptions, steadyNowMs } from "@platform/kit/rpc/client";
import { operator_access } from "@platform/proto/operator/v1/access";
import type { Command } from "commander";
import type { Ctl } from "./ctl.ts";
import { limitOption, type PageOptions, pageOptions, printPage, readLimit, readPage } from "./pages.ts";
import { UsageError } from "./usage-error.ts";

/** The options as they were typed; a flag is true. */
type Given = Readonly<Record<string, string | true | undefined>>;
type Values = Record<string, unknown>;
type Reply = Readonly<Record<string, unknown>>;

/** The entry of the operator table that a command renders. */
export type TableEntry = { readonly resource: Resource; readonly operation: Operation };

const entries = new WeakMap<Command, TableEntry>();

/** Returns the entry of the operator table for a command, or undefined for a command with code of its own. */
export const tableEntryOf = (command: Command): TableEntry | undefined => entries.get(command);

const longMs = 600_000;
/** Number of rows per call of a list that prints all rows. */
const pageSize = 200;

/** Placeholders that help shows for values. */
const placeholders: Readonly<Partial<Record<FieldKind, string>>> = {
  id: "id",
  url: "url",
  amount: "amount",
  position: "position",
  time: "time",
  since: "time",
  number: "n",
};

/** Adds the commands of a resource of the operator table. */
export function registerResource(group: Command, ctl: Ctl, resource: Resource): void {
  for (const operation of resource.operations) registerOperation(group, ctl, resource, operation);
}

/** Returns the operation of a verb, for a command with code of its own that has the same options. */
export function operationNamed({ name, operations }: Resource, verb: string): Operation {
  const found = operations.find((operation) => operation.verb === verb);
  if (found === undefined) throw new Error(`${name} has no operation ${verb}`);
  return found;
}

function registerOperation(group: Command, ctl: Ctl, resource: Resource, operation: Operation): void {
  const { verb, rpc, summary, fields, does, prints } = operation;
  const subject = isAboutOne(operation) ? subjectOf(resource) : null;
  const asked = getOption(rpc, operator_access).reasonRequired ? " Requires --reason." : "";
  const command = group.command(verb).description(`${summary}${asked}`);
  entries.set(command, { resource, operation });
  if (subject !== null) command.requiredOption(`--${subject.option} <id>`, subject.explanation);
  for (const field of fields) addOption(command, field);
  if (operation.canReveal) command.option("--reveal", "show full addresses; requires --reason");
  if (does === "list") (prints === "array" || nextField(operation) === null ? limitOption : pageOptions)(command);
  command.addHelpText("after", helpBelow(resource, operation));
  command.action(async () => {
    const given = await withSecrets(ctl, operation, optionsByName(command));
    const request = requestOf(operation, given);
    if (subject !== null) request[subject.field] = given[subject.option];
    if (operation.canReveal) request.reveal = given.reveal === true;
    if (does === "list") return listRows(ctl, resource, operation, request, given as Given & PageOptions);
    const reply = await callOf(ctl, operation)(request);
    if (does === "report" || does === "find") return printPage(ctl, rowsOf(resource, operation, reply), "");
    ctl.print(printedOf(resource, operation, request, reply));
  });
}

/** Returns the text that help shows below the options. */
function helpBelow({ name }: Resource, { verb, example = [], remark }: Operation): string {
  const lines = [example].flat().map((line) => `\n  platformctl ${name} ${verb} ${line}`);
  const examples = lines.length === 0 ? "" : `\nExample${lines.length === 1 ? "" : "s"}:${lines.join("")}`;
  return remark === undefined ? examples : `${examples}\n\n${remark}`;
}

function addOption(command: Command, field: Field): void {
  if (field.kind === "flag") return void command.option(`--${field.option}`, field.explanation);
  const placeholder = field.placeholder ?? placeholders[field.kind] ?? field.option;
  const isSecret = field.isSecret === true;
  const flags = `--${field.option} <${placeholder}${isSecret ? " or -" : ""}>`;
  const explanation = `${field.explanation}${isSecret ? "; - reads it from standard input" : ""}`;
  if (field.isRequired === true) command.requiredOption(flags, explanation, field.initial);
  else command.option(flags, explanation, field.initial);
}

/** Returns the options that were given, by the names that were typed. */
export function optionsByName(command: Command): Given {
  const values = command.opts<Given>();
  return Object.fromEntries(
    command.options.map((option) => [(option.long ?? "").slice(2), values[option.attributeName()]]),
  );
}

/** Returns the options with a secret that is `-` replaced by standard input. */
async function withSecrets(ctl: Ctl, { fields }: Operation, given: Given): Promise<Given> {
  const named = fields.find(({ isSecret, option }) => isSecret === true && given[option] === "-");
  return named === undefined ? given : { ...given, [named.option]: await ctl.readStandardInput() };
}

/** Creates the request for the given options. Throws a UsageError for a value that cannot be read. */
export function requestOf(operation: Operation, given: Given): Values {
  const read = readFields(operation.fields, ({ option }) => String(given[option] ?? ""));
  if ("problem" in read) throw new UsageError(`--${read.field.option} ${read.problem}`);
  return requestWith(operation, read.request);
}

/** Returns a function that calls the RPC of an operation with the operator's identity. */
function callOf(ctl: Ctl, { rpc, isLong, filter = "" }: Operation): (request: Values) => Promise<Reply> {
  const [, service] = rpc.parent.typeName.split(".");
  const client = ctl.connection(service as ServiceName).service(rpc.parent) as unknown as Readonly<
    Record<string, (request: Values, options: CallOptions) => Promise<Reply>>
  >;
  return async (request) => {
    const { projectClientId: clientId } = (request[filter] ?? request) as Values;
    const usual = ctl.call(typeof clientId === "string" ? clientId : undefined);
    const options = isLong === true ? { ...usual, deadlineMs: steadyNowMs() + longMs } : usual;
    const call = client[rpc.localName];
    if (call === undefined) throw new Error(`${rpc.parent.typeName} has no ${rpc.name}`);
    return call(request, options);
  };
}

async function listRows(
  ctl: Ctl,
  resource: Resource,
  operation: Operation,
  request: Values,
  given: Given & PageOptions,
): Promise<void> {
  const call = callOf(ctl, operation);
  const next = nextField(operation);
  if (operation.prints !== "array" && next !== null) {
    const reply = await call({ ...request, ...readPage(given) });
    return printPage(ctl, rowsOf(resource, operation, reply), String(reply.nextCursor ?? ""));
  }
  const limit = readLimit(given);
  const rows: object[] = [];
  for (let after = "", isMore = true; isMore && rows.length < limit; ) {
    const page = next === null ? {} : { [next]: after, limit: Math.min(limit - rows.length, pageSize) };
    const reply = await call({ ...request, ...page });
    const messages = messagesOf(operation, reply);
    rows.push(...rowsOf(resource, operation, reply));
    after = String((next === "cursor" ? reply.nextCursor : (messages.at(-1) as { id?: string })?.id) ?? "");
    isMore = next !== null && messages.length > 0 && after !== "";
  }
  const printed = rows.slice(0, limit);
  if (operation.prints === "array") ctl.print(printed);
  else printPage(ctl, printed, "");
}

const messagesOf = (operation: Operation, answer: Reply): readonly Message[] => messagesIn(rowIn(operation, answer));

/** Returns the rows of a reply as `--json` prints them. */
function rowsOf(resource: Resource, operation: Operation, reply: Reply): object[] {
  const { item, columns = resource.columns } = operation;
  return messagesOf(operation, reply).map((message) => rowOf(item, columns, message));
}

/** Returns the output for one row: the row or its id, and the additions of the operation. */
function printedOf(resource: Resource, operation: Operation, request: Values, answer: Reply): object {
  const { rpc, item, reply, prints, also = {} } = operation;
  const message = rowIn(operation, answer) as Message | undefined;
  if (reply !== null && message === undefined) throw new Error(`${rpc.name} returned no ${reply}`);
  const whole =
    message === undefined
      ? { id: plainOf(request[subjectOf(resource).field]) }
      : rowOf(item, resource.columns, message);
  const added = Object.entries(also).map(([key, from]) => {
    if (typeof from === "boolean") return [key, from];
    if ("request" in from) return [key, plainOf(request[from.request])];
    const { reply: field, columns: inner } = from;
    if (inner === undefined) return [key, plainOf(answer[field])];
    return [key, messagesIn(answer[field]).map((each) => rowOf(messageOf(rpc.output, field), inner, each))];
  });
  const all: Values = { ...whole, ...Object.fromEntries(added) };
  return typeof prints === "object" ? Object.fromEntries(prints.map((key) => [key, all[key]])) : all;
}
