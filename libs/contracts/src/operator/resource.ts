import { type DescField, type DescMessage, type DescMethodUnary, ScalarType } from "@bufbuild/protobuf";
import type { Column, Difference, Names } from "./column.ts";

/*
 * The operator table describes once what operators do with each resource. platformctl and the console render it.
 *
 * An entry is data, without functions. Types check its names of fields and RPCs against proto. Only the proto option `operator_access` defines who may call an
 * RPC and whether a reason is required; the help adds that by itself. If proto marks a field of a list as `recorded_lookup`, it is an option of the command but
 * not a filter of the console, because a filter is part of the URL.
 *
 * Wording:
 * - A summary is one or two sentences that begin with a verb in the imperative and say what will happen. Both renderers show it.
 * - A title is a verb, or "New" and the noun, and is the text of a link. A button repeats it with its object.
 * - An explanation of a field is a clause without a full stop that begins in lower case: "start after this position; 0 starts with the first event".
 * - A notice states the result in a whole sentence: "The subscription is paused."
 * - Resources have the API's nouns, except that a Project Client is called a project. "Project Client id" names the id that an option expects. A text
 *   names whoever acts, if it is not the operator.
 */

/** How typed input is parsed. An amount is in minor units, `since` accepts `7d` as well as a time, and a flag has no value. */
export type FieldKind =
  | ("id" | "text" | "texts" | "url" | "choice" | "flag")
  | ("amount" | "position" | "number")
  | ("time" | "since");

/** A field that an operator fills in, as it is written in the entry of an operation. */
export type FieldEntry<M extends DescMessage = DescMessage> = {
  readonly field: Names<M>;
  /** The CLI's flag without dashes; by default the field's name in proto. `formName` derives its name in forms. */
  readonly option?: string;
  /** How the input is parsed; by default derived from the field's type in proto. */
  readonly kind?: FieldKind;
  readonly label: string;
  readonly explanation: string;
  /** Shown by help in place of the value; by default the usual word for the kind. */
  readonly placeholder?: string;
  readonly isRequired?: boolean;
  readonly initial?: string;
  /** Maximum number of characters, if the contract allows fewer than the bound of the request. */
  readonly maxLength?: number;
  readonly choices?: readonly string[];
  /** True for a secret. The CLI also reads it from standard input, and a command that takes it is never a tool of an assistant. */
  readonly isSecret?: true;
  /** The minimum and maximum of a `number`. */
  readonly range?: readonly [number, number];
  /** An earlier field of the form with a position. The position in this field must be at least as large. */
  readonly notBefore?: Names<M>;
  /** A resource whose rows the console offers as choices for this field. */
  readonly offers?: "clients" | "schedules";
  /** The field of the row from which the form of an operation is prefilled; by default the field with the same name. */
  readonly present?: string;
};

/** The entry of a field, together with the properties that are derived from proto. */
export type Field = FieldEntry & { readonly option: string; readonly kind: FieldKind };

/** A field of a response that is printed. `columns` are those of the messages in it. */
type AlsoOfReply<O extends DescMessage> = { readonly reply: Names<O>; readonly columns?: readonly Column[] };

/** One call and the part of its result that is printed, as it is written in the table. */
export type OperationEntry<
  I extends DescMessage = DescMessage,
  O extends DescMessage = DescMessage,
  F extends DescMessage = I,
> = {
  readonly verb: string;
  readonly rpc: DescMethodUnary<I, O>;
  /**
   * `list`: pages of rows. `find`: the rows with an address. The console asks for the address in a form that is posted, because a URL must not contain it.
   * `show`: one row. `create`: a new one. `act`: a change of one. `report`: rows of another kind about one. `platformctl` prints these, and the console shows
   * them on a screen with hand-written code.
   */
  readonly does: "list" | "find" | "show" | "create" | "act" | "report";
  readonly summary: string;
  /** Fields of the request, or of its filter. */
  readonly fields?: readonly FieldEntry<F>[];
  readonly example?: string | readonly string[];
  /** Whole sentences that are shown at the end of the help, and below the summary in the form. */
  readonly remark?: string;
  /** Constant values for fields of the request. */
  readonly always?: Partial<Record<Names<I>, unknown>>;
  /** Columns of the rows, if they differ from the resource's. If `shown.list` is empty, the console's list shows all of them. */
  readonly columns?: readonly Column[];
  /** The field of the request whose message contains `fields`, for a list with a filter. */
  readonly filter?: Names<I>;
  /**
   * For lists, `array` prints an array, with all rows if no limit is given. For other operations, these are the keys that are printed, in their order; by
   * default all.
   */
  readonly prints?: "array" | readonly string[];
  /** Values that are added to the output: constants, a field of the request, or a field of the response. */
  readonly also?: Readonly<Record<string, boolean | { readonly request: Names<I> } | AlsoOfReply<O>>>;
  /** True if the resource no longer exists afterwards, so that the console returns to its list. */
  readonly isRemoval?: true;
  /** True if the call may take minutes. */
  readonly isLong?: boolean;
  /** Text of the link; by default the verb, or "New" and the noun. */
  readonly title?: string;
  /** Text of the button; by default the title, or "Create" and the noun. */
  readonly button?: string;
  readonly notice?: string;
  readonly isDanger?: boolean;
  /** True if the form may be sent only once. */
  readonly isOnce?: boolean;
  /** True if a second call with the same values has an additional effect. */
  readonly isCumulative?: true;
  /** States in which the page of a resource links to the operation; by default all. It is empty if another part of the page offers the operation. */
  readonly offeredIn?: readonly string[];
  /** Text that the console shows if nothing is listed or found. */
  readonly empty?: string;
  /** Title of the console's page with the results of a search. */
  readonly foundTitle?: string;
};

/** The entry of an operation, together with the properties that are derived from proto and from the resource. */
export type Operation = Omit<OperationEntry, "fields" | "title" | "button"> & {
  readonly fields: readonly Field[];
  readonly title: string;
  readonly button: string;
  /**
   * Field of the response that contains the row or the rows, which is the first field with a message. Empty if the response itself is the row; null if there is
   * no row.
   */
  readonly reply: string | null;
  /** The message type of the rows. */
  readonly item: DescMessage;
  /** The message type that contains the fields: the request, or its filter. */
  readonly input: DescMessage;
  /** True if the operation can show personal data unmasked. */
  readonly canReveal: boolean;
  /** True if the request contains the revision of the row on which the change is based. The console sends the revision if it knows it. */
  readonly hasRevision: boolean;
};

/** Field of requests that contains the id of a resource, and the CLI's option for it. */
type Subject = { readonly field: string; readonly option: string; readonly explanation: string };

/** A resource that operators work on, as it is written in its file. */
type ResourceEntry<R extends DescMessage = DescMessage, K extends string = string> = {
  /** Name of the resource's commands. */
  readonly name: string;
  readonly noun: string;
  readonly title: string;
  readonly row: R;
  /** The field of the row that contains its id; by default `id`. */
  readonly id?: Names<R>;
  /** Absent if no operation is about one resource, as for a list of totals. */
  readonly subject?: Subject;
  /**
   * Paths in the console: of the list, and the path to which the id of a resource is appended for its page, by default that of the list. A resource has no page
   * if no operation shows one and `shown.page` has no fields.
   */
  readonly paths: { readonly list: string; readonly one?: string };
  /** Title and path of the console's page above the list. */
  readonly above?: readonly [string, string];
  readonly columns: readonly (Column<R, K> | Difference<R>)[];
  /** The field that is the title of a resource's page; by default its noun and id. */
  readonly named?: Names<R>;
  /** Fields that the console shows: in the list, in the results of a search, on the page of a resource below its id, and in the confirmation of an action. */
  readonly shown: {
    readonly list: readonly (Names<R> | NoInfer<K>)[];
    readonly found?: readonly (Names<R> | NoInfer<K>)[];
    readonly page: readonly (Names<R> | NoInfer<K>)[];
    readonly question: readonly (Names<R> | NoInfer<K>)[];
  };
  readonly operations: readonly OperationEntry[];
};

/** The entry of a resource, together with the properties that are derived for its operations. */
export type Resource = Omit<ResourceEntry, "paths" | "operations"> & {
  readonly paths: { readonly list: string; readonly one: string };
  readonly operations: readonly Operation[];
};

/** Checks a resource against the message type of its rows, and derives the remaining properties of each operation. */
export function resource<R extends DescMessage, const K extends string = never>(entry: ResourceEntry<R, K>): Resource {
  const { name, noun, row, subject, paths, operations } = entry as unknown as ResourceEntry;
  const whole = (operation: OperationEntry): Operation => {
    const { verb, does, rpc, filter, fields = [] } = operation;
    if (isAboutOne(operation) && subject === undefined)
      throw new Error(`${name} ${verb} is about one ${noun}: add subject`);
    const named = does === "create" ? `New ${noun}` : capitalize(verb.replaceAll("-", " "));
    const { title = named, button = does === "create" ? `Create ${noun}` : title } = operation;
    const isRow = rpc.output.typeName === row.typeName;
    const reply = rpc.output.fields.find(({ message }) => message !== undefined && !isTime(message));
    const input = filter === undefined ? rpc.input : rpc.input.field[filter]?.message;
    if (input === undefined) throw new Error(`${rpc.input.typeName} has no message ${filter}`);
    return {
      ...operation,
      title,
      button,
      reply: isRow ? "" : (reply?.localName ?? null),
      item: (isRow ? undefined : reply?.message) ?? row,
      input,
      canReveal: rpc.input.field.reveal !== undefined,
      hasRevision: does === "act" && rpc.input.field.revision !== undefined && row.field.revision !== undefined,
      fields: fields.map((field) => withProto(input, does === "act" ? withPresent(row, field) : field)),
    };
  };
  return {
    ...(entry as unknown as ResourceEntry),
    paths: { list: paths.list, one: paths.one ?? paths.list },
    operations: operations.map(whole),
  };
}

/** Returns whether the request of an operation contains the id of one resource. */
export const isAboutOne = ({ does }: Pick<OperationEntry, "does">): boolean =>
  does === "show" || does === "act" || does === "report";

/** Returns the field and the option for the id of a resource. @throws Error if no operation is about one */
export function subjectOf({ name, subject }: Pick<Resource, "name" | "subject">): Subject {
  if (subject === undefined) throw new Error(`${name} has no subject`);
  return subject;
}

const withPresent = (row: DescMessage, entry: FieldEntry): FieldEntry =>
  row.field[entry.field] === undefined ? entry : { present: entry.field, ...entry };

function withProto(input: DescMessage, entry: FieldEntry): Field {
  const described = input.field[entry.field];
  if (described === undefined) throw new Error(`${input.typeName} has no field ${entry.field}`);
  const byProto = kindByProto(described);
  const { option = described.name.replaceAll("_", "-"), kind = entry.choices === undefined ? byProto : "choice" } =
    entry;
  return { ...entry, option, kind };
}

function kindByProto(field: DescField): FieldKind {
  if (field.fieldKind === "list") return "texts";
  if (field.scalar === ScalarType.BOOL) return "flag";
  if (field.scalar === ScalarType.UINT32 || field.scalar === ScalarType.INT32) return "number";
  return isTime(field.message) ? "time" : "text";
}

const isTime = (message: DescMessage | undefined): boolean => message?.typeName === "google.protobuf.Timestamp";

export const capitalize = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;

/** Returns the request with the fields that an operator filled in, which are in its filter if it has one. */
export const requestWith = ({ filter, always }: Pick<Operation, "filter" | "always">, fields: object) => ({
  ...always,
  ...(filter === undefined ? fields : { [filter]: fields }),
});

/** Returns the name of a field in a form: its option with `_` instead of `-`. */
export const formName = ({ option }: Pick<Field, "option">): string => option.replaceAll("-", "_");

/** Returns the field of a list's request that holds the start of its page: a cursor, or in older lists the last id; null for a list with one page. */
export function nextField({ rpc }: Pick<Operation, "rpc">): "cursor" | "afterId" | null {
  return (["cursor", "afterId"] as const).find((name) => rpc.input.field[name] !== undefined) ?? null;
}

/** Checks an operation against the request and the reply of its RPC. The fields of a filter are checked by a unit test instead. */
export const operation = <M extends DescMethodUnary>(
  entry: { readonly rpc: M } & (
    | (OperationEntry<M["input"], M["output"]> & { readonly filter?: undefined })
    | (OperationEntry<M["input"], M["output"], DescMessage> & { readonly filter: string })
  ),
): OperationEntry => entry as unknown as OperationEntry;
