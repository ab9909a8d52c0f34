import {
  type DescField,
  type DescMessage,
  type DescMethodUnary,
  type Message,
  type MessageShape,
  ScalarType,
} from "@bufbuild/protobuf";

/*
 * The operator table describes once what operators do with each resource. platformctl and the console render it.
 *
 * An entry is data, without functions. Types check its names of fields and RPCs against proto. Only the proto option `operator_access` says who may call an
 * RPC and whether a reason is required; help adds that by itself. A field of a list that proto marks `recorded_lookup` is an option of the command, but no
 * filter of the console, because a filter is part of the URL.
 *
 * Wording:
 *  - A summary is one or two sentences that begin with a verb in the imperative and say what will happen. Both renderers show it.
 *  - A title is a verb, or "New" and the noun, and is the text of a link. A button repeats it with its object.
 *  - An explanation of a field is a clause without a full stop that begins in lower case: "start after this position; 0 starts with the first event".
 *  - A notice states the result in a whole sentence: "The subscription is paused."
 *  - Resources have the API's nouns, except that a Project Client is called a project. "Project Client id" names the id that an option expects. Where someone
 *    other than the operator acts, name them.
 */

/** How a value is shown. `json` is a text that `--json` prints as the value that it contains. A column without a kind is shown as text, or as a number if proto has one. */
export type ValueKind = "id" | "texts" | "code" | "state" | "money" | "bytes" | "time" | "json";

/** How typed input is read: an amount is in minor units, `since` accepts `7d` as well as a time, and a flag takes no value. */
export type FieldKind =
  | ("id" | "text" | "texts" | "url" | "choice" | "flag")
  | ("amount" | "position" | "number")
  | ("time" | "since");

/** Names of the fields of a message; any text of a message that is not known. */
type Names<M extends DescMessage> =
  Message extends MessageShape<M> ? string : Exclude<Extract<keyof MessageShape<M>, string>, `$${string}`>;

/** A value of a row. */
export type Column<M extends DescMessage = DescMessage, K extends string = string> = {
  readonly field: Names<M>;
  /**
   * Its key in `--json` and its name in `shown`, if they differ from the field's name, for example because two columns
   * show one field.
   */
  readonly key?: K;
  readonly title: string;
  readonly kind?: ValueKind;
  /** Columns of the messages that the field holds. A page shows them as a table, and a list the first two of each message. */
  readonly columns?: readonly Column[];
  /** The value is that of this field of the last message that the field holds. */
  readonly last?: string;
  /** The values are those of this field of every message that the field holds. */
  readonly each?: string;
  /** Words that pages show instead of the value: the first if it is true or present, otherwise the second. */
  readonly words?: readonly [set: string, unset: string];
  /** `--json` has the word as well. */
  readonly isWordPrinted?: true;
  /**
   * True for a value that is shown, and has a key in `--json`, only if it is present, such as an address that was
   * requested.
   */
  readonly isLeftOutIfAbsent?: true;
  /** True if an empty text means that there is no value; `--json` then prints null. */
  readonly isNullIfEmpty?: true;
  /** Absent means 0 in `--json`. */
  readonly isZeroIfAbsent?: true;
  /** `--json` leaves it out. */
  readonly isOnPagesOnly?: true;
  /** A list of the console that shows all columns omits it. */
  readonly isPrintedOnly?: true;
  /** `--json` omits it if it has this value. */
  readonly isOmittedFor?: string;
  /**
   * Path of the console's pages for the resource that an id names; absent for an id that belongs to the project. A path
   * with `{id}` is the complete address; in it, `{client}` is replaced by the row's Project Client:
   * `/events/consumers/{id}?client={client}`.
   */
  readonly page?: string;
};

/** A number of a row that proto does not have: the first field less the second one. Only `--json` has it. */
export type Difference<M extends DescMessage = DescMessage> = {
  readonly key: string;
  readonly difference: readonly [Names<M>, Names<M>];
};

/** A field that an operator fills in, as an entry describes it. */
export type FieldEntry<M extends DescMessage = DescMessage> = {
  readonly field: Names<M>;
  /** The CLI's flag without dashes; proto's name without it. `formName` is its name in forms. */
  readonly option?: string;
  /** Derived from the field's type in proto without it. */
  readonly kind?: FieldKind;
  readonly label: string;
  readonly explanation: string;
  /** Shown by help in place of the value; the kind's usual word without it. */
  readonly placeholder?: string;
  readonly isRequired?: boolean;
  readonly initial?: string;
  /** Most characters, where the contract has fewer than the request's bound. */
  readonly maxLength?: number;
  readonly choices?: readonly string[];
  /** The least and the most of a `number`. */
  readonly range?: readonly [number, number];
  /** An earlier field of the form with a position; this one must be at least as large. */
  readonly notBefore?: Names<M>;
  /** A resource whose rows the console offers as choices. */
  readonly offers?: "clients" | "schedules";
  /**
   * The field of the row whose value is prefilled in the form of an operation; by default the field with the same name.
   */
  readonly present?: string;
};

/** The entry of a field together with what is derived from proto. */
export type Field = FieldEntry & { readonly option: string; readonly kind: FieldKind };

/** A field of a response that is printed; `columns` are those of the messages in it. */
type AlsoOfReply<O extends DescMessage> = { readonly reply: Names<O>; readonly columns?: readonly Column[] };

/** One call and the part of its result that is printed, as an entry of the table describes it. */
export type OperationEntry<
  I extends DescMessage = DescMessage,
  O extends DescMessage = DescMessage,
  F extends DescMessage = I,
> = {
  readonly verb: string;
  readonly rpc: DescMethodUnary<I, O>;
  /**
   * `list`: pages of rows; `find`: the rows with an address, which the console asks for in a form that is posted, because a URL must not contain an address;
   * `show`: one row; `create`: a new one; `act`: a change of one; `report`: rows of another kind about one, which `platformctl` prints and which a screen of
   * the console shows by code of its own.
   */
  readonly does: "list" | "find" | "show" | "create" | "act" | "report";
  readonly summary: string;
  /** Fields of the request, or of its filter. */
  readonly fields?: readonly FieldEntry<F>[];
  readonly example?: string | readonly string[];
  /** Whole sentences that help has at its end, and the form beneath the summary. */
  readonly remark?: string;
  /** Constant values of fields of the request. */
  readonly always?: Partial<Record<Names<I>, unknown>>;
  /** Columns of the rows, where they are not the resource's. The console's list shows all of them where `shown.list` is empty. */
  readonly columns?: readonly Column[];
  /** The field of the request whose message contains `fields`. */
  readonly filter?: Names<I>;
  /** For lists: `array` prints an array, with all rows if no limit is given. For others: the keys that are printed, in their order; by default all. */
  readonly prints?: "array" | readonly string[];
  /** Added to the output: constants, a field of the request, a field of the response. */
  readonly also?: Readonly<Record<string, boolean | { readonly request: Names<I> } | AlsoOfReply<O>>>;
  /** The resource no longer exists afterwards, so the console returns to its list. */
  readonly isRemoval?: true;
  /** May take minutes. */
  readonly isLong?: boolean;
  /** On the link; the verb, or "New" and the noun, without it. */
  readonly title?: string;
  /** The title, or "Create" and the noun, without it. */
  readonly button?: string;
  readonly notice?: string;
  readonly isDanger?: boolean;
  /** A form that may be sent once. */
  readonly isOnce?: boolean;
  /** True if a second call with the same values has a further effect. */
  readonly isCumulative?: true;
  /** States in which the page of one links to it; always without it, never where it is empty, because an own part of the page does. */
  readonly offeredIn?: readonly string[];
  /** The text in the console where nothing is listed or found. */
  readonly empty?: string;
  /** Title of the console's page with the results of a search. */
  readonly foundTitle?: string;
};

/** The entry of an operation together with what is derived from proto and from the resource. */
export type Operation = Omit<OperationEntry, "fields" | "title" | "button"> & {
  readonly fields: readonly Field[];
  readonly title: string;
  readonly button: string;
  /** Field of the response that contains the row or the rows: the first that contains a message. Empty if the response itself is the row; null if it has none. */
  readonly reply: string | null;
  /** The message of the row or the rows. */
  readonly item: DescMessage;
  /** The message that contains the fields: the request, or its filter. */
  readonly input: DescMessage;
  /** Whether it can show personal data unmasked. */
  readonly canReveal: boolean;
  /** The request names the revision of the row that the change was prepared from, where the console knows it. */
  readonly hasRevision: boolean;
};

/** A resource that operators work on, as its file describes it. */
type ResourceEntry<R extends DescMessage = DescMessage, K extends string = string> = {
  /** Name of its commands. */
  readonly name: string;
  readonly noun: string;
  readonly title: string;
  readonly row: R;
  /** The field of the row with its id; `id` without it. */
  readonly id?: Names<R>;
  /** Field of requests with the id of one, and the CLI's option for it. */
  readonly subject: { readonly field: string; readonly option: string; readonly explanation: string };
  /** Paths in the console: of the list, and above the page of each. Where neither an operation shows one nor `shown.page` has fields, it has no page. */
  readonly paths: { readonly list: string; readonly one: string };
  /** Title and path of the page above the list. */
  readonly above?: readonly [string, string];
  readonly columns: readonly (Column<R, K> | Difference<R>)[];
  /** The field that is the title of one; its noun and id without it. */
  readonly named?: Names<R>;
  /** Fields that the console shows: in the list, of those that were found, on the page of one beneath its id, and in the question before an act. */
  readonly shown: {
    readonly list: readonly (Names<R> | NoInfer<K>)[];
    readonly found?: readonly (Names<R> | NoInfer<K>)[];
    readonly page: readonly (Names<R> | NoInfer<K>)[];
    readonly question: readonly (Names<R> | NoInfer<K>)[];
  };
  readonly operations: readonly OperationEntry[];
};

/** The entry of a resource together with what is derived from proto. */
export type Resource = Omit<ResourceEntry, "operations"> & { readonly operations: readonly Operation[] };

/** Checks a resource against its row, and derives the rest of each operation. */
export function resource<R extends DescMessage, const K extends string = never>(entry: ResourceEntry<R, K>): Resource {
  const { noun, row, operations } = entry as unknown as ResourceEntry;
  const whole = (operation: OperationEntry): Operation => {
    const { verb, does, rpc, filter, fields = [] } = operation;
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
  return { ...(entry as unknown as ResourceEntry), operations: operations.map(whole) };
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

/** The name of a column in `shown`. */
export const nameOf = (column: Column | Difference): string => column.key ?? ("field" in column ? column.field : "");

/** The row of a response, or undefined if it has none. */
export const rowIn = ({ reply }: Pick<Operation, "reply">, answer: Readonly<Record<string, unknown>>): unknown =>
  reply === "" ? answer : answer[reply ?? ""];

/** The request with the fields that an operator filled in, in its filter if it has one. */
export const requestWith = ({ filter, always }: Pick<Operation, "filter" | "always">, fields: object) => ({
  ...always,
  ...(filter === undefined ? fields : { [filter]: fields }),
});

/** The name of a field in a form: its option with `_` for `-`. */
export const formName = ({ option }: Pick<Field, "option">): string => option.replaceAll("-", "_");

/** The field of a list's request that contains the start of its page: a cursor, or the last id in older lists; null for a list of one page. */
export function nextField({ rpc }: Pick<Operation, "rpc">): "cursor" | "afterId" | null {
  return (["cursor", "afterId"] as const).find((name) => rpc.input.field[name] !== undefined) ?? null;
}

/** Checks an operation against the request and the reply of its RPC. A unit test checks the fields of a filter. */
export const operation = <M extends DescMethodUnary>(
  entry: { readonly rpc: M } & (
    | (OperationEntry<M["input"], M["output"]> & { readonly filter?: undefined })
    | (OperationEntry<M["input"], M["output"], DescMessage> & { readonly filter: string })
  ),
): OperationEntry => entry as unknown as OperationEntry;
