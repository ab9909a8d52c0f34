import type { DescMessage, DescMethodUnary, Message, MessageShape } from "@bufbuild/protobuf";

/*
 * The operator table: what operators do with each resource, said once. platformctl and the console are renderers of it.
 *
 * An entry is data: no functions. Names of fields and RPCs are checked against proto by type. Who may do it, and whether a reason is asked for, is the
 * proto option `operator_access` alone.
 *
 * Wording:
 *  - A summary is one or two sentences that begin with a verb in the imperative and say what will happen. Both renderers show it.
 *  - A title is a verb, or "New" and the noun, as it stands on a link; a button repeats it with its object.
 *  - An explanation of a field is a clause without a full stop that begins in lower case: "begin after this position; 0 begins with the first event".
 *  - A notice says in a whole sentence what is so afterwards: "The subscription is paused."
 *  - Resources have the API's nouns. Name the actor where it is not the operator.
 */

/** How a value is shown. Without one it is text, or a number for a number of proto. */
export type ValueKind = "id" | "text" | "texts" | "code" | "state" | "number" | "money" | "time";

/** How what an operator types is read: an amount is in minor units, `since` takes `7d` besides a time. */
export type FieldKind = "id" | "text" | "texts" | "url" | "amount" | "position" | "time" | "since" | "choice";

/** Names of the fields of a message; any text of a message that is not known. */
type Names<M extends DescMessage> =
  Message extends MessageShape<M> ? string : Exclude<Extract<keyof MessageShape<M>, string>, `$${string}`>;

/** A value of a row. Its key in `--json` is the field's name in proto. */
export type Column<M extends DescMessage = DescMessage> = {
  readonly field: Names<M>;
  readonly title: string;
  readonly kind?: ValueKind;
  /** Path of the console's pages of what the id names. */
  readonly page?: string;
};

/** A number of a row that proto does not have: the first field less the second one. Only `--json` has it. */
export type Difference<M extends DescMessage = DescMessage> = {
  readonly key: string;
  readonly difference: readonly [Names<M>, Names<M>];
};

/** What an operator gives. `option` is the CLI's flag without dashes; forms of the console and tools of assistants write it with `_` for `-`. */
export type Field<M extends DescMessage = DescMessage> = {
  readonly field: Names<M>;
  readonly option: string;
  readonly kind: FieldKind;
  readonly label: string;
  readonly explanation: string;
  /** What help shows in the place of the value; the kind's usual word without it. */
  readonly placeholder?: string;
  readonly isRequired?: boolean;
  readonly initial?: string;
  /** Most characters, where the contract has fewer than the request's bound. */
  readonly maxLength?: number;
  readonly choices?: readonly string[];
  /** A position that comes before in the form, and is at most this one. */
  readonly notBefore?: Names<M>;
  /** A resource whose rows the console offers as choices. */
  readonly offers?: "clients" | "schedules";
  /** The field of the row whose value the form begins with. */
  readonly present?: string;
};

/** What one call does, and what is shown of it. */
export type Operation<I extends DescMessage = DescMessage, O extends DescMessage = DescMessage> = {
  readonly verb: string;
  readonly rpc: DescMethodUnary<I, O>;
  /**
   * `list`: pages of rows; `show`: one row; `create` makes one; `act` does something to one; `report`: rows of another kind about one, which the
   * console shows on a page of its own.
   */
  readonly does: "list" | "show" | "create" | "act" | "report";
  readonly summary: string;
  readonly fields?: readonly Field<I>[];
  readonly example?: string;
  /** Fields of the request that are always the same. */
  readonly always?: Partial<Record<Names<I>, unknown>>;
  /** Field of the reply with the row or the rows. */
  readonly reply?: Names<O>;
  /** Columns of the rows, where they are not the resource's. */
  readonly columns?: readonly Column[];
  /** Lists: `array` prints an array, of all rows where no limit is given. Others: `id` prints the id alone. */
  readonly prints?: "array" | "id";
  /** Added to what is printed: constants, a field of the request, a field of the reply. */
  readonly also?: Readonly<Record<string, boolean | { readonly request: Names<I> } | { readonly reply: Names<O> }>>;
  /** May take minutes. */
  readonly isLong?: boolean;
  readonly title?: string;
  readonly button?: string;
  readonly notice?: string;
  readonly isDanger?: boolean;
  /** A form that may be sent once. */
  readonly isOnce?: boolean;
  /** States in which it is offered; always without it. */
  readonly offeredIn?: readonly string[];
  /** What the console says when there is no row. */
  readonly empty?: string;
  /** `own`: the console has a page of its own for it. */
  readonly view?: "own";
};

/** A resource that operators work on. */
export type Resource<R extends DescMessage = DescMessage> = {
  /** Name of its commands. */
  readonly name: string;
  readonly noun: string;
  readonly title: string;
  readonly row: R;
  /** Field of requests with the id of one, and the CLI's option for it. */
  readonly subject: { readonly field: string; readonly option: string; readonly explanation: string };
  /** Paths in the console: of the list, and above the page of each. */
  readonly paths: { readonly list: string; readonly one: string };
  /** Title and path of the page above the list. */
  readonly above?: readonly [string, string];
  readonly columns: readonly (Column<R> | Difference<R>)[];
  /** The field that names one; its id without it. */
  readonly named?: Names<R>;
  /** Fields that the console's list shows, its page, and the question before an act. */
  readonly shown: {
    readonly list: readonly Names<R>[];
    readonly page: readonly Names<R>[];
    readonly question: readonly Names<R>[];
  };
  readonly operations: readonly Operation[];
};

/** Checks a resource against its row. */
export const resource = <R extends DescMessage>(definition: Resource<R>): Resource => definition as unknown as Resource;

/** Checks an operation against the request and the reply of its RPC. */
export const operation = <M extends DescMethodUnary>(
  definition: Operation<M["input"], M["output"]> & { readonly rpc: M },
): Operation => definition as unknown as Operation;
