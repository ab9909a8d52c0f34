import type { DescMessage, Message, MessageShape } from "@bufbuild/protobuf";

/** How a value is shown. `json` is a text that `--json` prints as JSON. A column without a kind is shown as text, or as a number if proto has one. */
export type ValueKind = "id" | "texts" | "code" | "state" | "money" | "bytes" | "time" | "json";

/** Names of the fields of a message. If the message type is not known, any text is allowed. */
export type Names<M extends DescMessage> =
  Message extends MessageShape<M> ? string : Exclude<Extract<keyof MessageShape<M>, string>, `$${string}`>;

/** A column, which shows one value of each row. */
export type Column<M extends DescMessage = DescMessage, K extends string = string> = {
  readonly field: Names<M>;
  /** The column's key in `--json` and its name in `shown`, if they differ from the field's name, for example because two columns show the same field. */
  readonly key?: K;
  readonly title: string;
  readonly kind?: ValueKind;
  /** Columns of the messages that the field contains. A page shows them as a table, and a list shows the first two of each message. */
  readonly columns?: readonly Column[];
  /** Shows this field of the last message that the field contains. */
  readonly last?: string;
  /** Shows this field of every message that the field contains. */
  readonly each?: string;
  /** Words that pages show instead of the value: the first one if it is true or present, otherwise the second one. */
  readonly words?: readonly [set: string, unset: string];
  /** True if `--json` prints the word, too. */
  readonly isWordPrinted?: true;
  /** True if the value is shown, and has a key in `--json`, only if it is present, such as an address that was requested. */
  readonly isLeftOutIfAbsent?: true;
  /** True if an empty text means that there is no value; `--json` then prints null. */
  readonly isNullIfEmpty?: true;
  /** True if `--json` prints 0 for an absent value. */
  readonly isZeroIfAbsent?: true;
  /** True if `--json` omits the value. */
  readonly isOnPagesOnly?: true;
  /** True if lists of the console omit the column, even those that show all columns. */
  readonly isPrintedOnly?: true;
  /** True for a secret. A command that prints it is never a tool of an assistant. */
  readonly isSecret?: true;
  /** `--json` omits the value if it is equal to this text. */
  readonly isOmittedFor?: string;
  /**
   * Path of the console's pages for the resource whose id is the value; absent for an id that the project assigns. A path with `{id}` is the complete address;
   * in it, `{client}` is replaced by the row's Project Client: `/events/consumers/{id}?client={client}`.
   */
  readonly page?: string;
};

/** A number that proto does not have: the first field minus the second one. Only `--json` shows it. */
export type Difference<M extends DescMessage = DescMessage> = {
  readonly key: string;
  readonly difference: readonly [Names<M>, Names<M>];
};

/** Returns the name of a column in `shown`. */
export const nameOf = (column: Column | Difference): string => column.key ?? ("field" in column ? column.field : "");
