import type { DescMethod } from "@bufbuild/protobuf";
import type { HtmlValue } from "@platform/kit/web/http";
import type { Field } from "./pages/fields.ts";
import type { Page } from "./pages/layout.ts";
import type { Visit } from "./visit.ts";

/** Result of a handler: a page, a redirect, or null if the handler has sent the response itself. */
export type Answer = Page | { readonly redirect: string; readonly notice?: string } | null;

/** Result of an action: an Answer, or `again` to show the action's own page again with more content. */
export type Outcome = Answer | { readonly again: true };

/** A page that shows data. */
export type View = {
  readonly path: string;
  /** The RPC that a person must be allowed to call to open the page. */
  readonly method: DescMethod;
  readonly show: (visit: Visit) => Promise<Answer>;
};

/** A column of a list: its value in downloads, and how the page renders it. */
export type Column<R> = {
  readonly key: string;
  readonly title: string;
  readonly value: (row: R) => string | number | null;
  readonly cell?: (row: R, visit: Visit) => HtmlValue;
};

export type Filters = Readonly<Record<string, string>>;
export type Rows<R> = { readonly rows: readonly R[]; readonly nextCursor: string };

/** A list with filters, pagination by cursor, and downloads. */
export type Listing<R> = {
  readonly path: string;
  readonly title: string;
  readonly method: DescMethod;
  /** True for a list of a single Project Client, which has the additional filter `client`. */
  readonly isOfClient: boolean;
  /**
   * Set for a list that also works without a client. Returns the id of a row's client, or an empty text for a row of
   * the platform. The client's name becomes a column.
   */
  readonly clientIdOf?: (row: R) => string;
  readonly filters?: readonly Field[];
  readonly columns: readonly Column<R>[];
  readonly read: (
    visit: Visit,
    filters: Filters,
    page: { readonly limit: number; readonly cursor: string },
  ) => Promise<Rows<R>>;
  /**
   * Columns of an export. The download then contains complete records, with more fields than the page shows, and has no
   * maximum.
   */
  readonly exported?: readonly Column<R>[];
  /** Advice shown when the list is empty. */
  readonly empty: HtmlValue;
  readonly crumbs?: Page["crumbs"];
  /** Renders links to the actions for a row. */
  readonly linksOf?: (visit: Visit, row: R) => HtmlValue;
  /** Renders content above the list: links to related pages and actions. */
  readonly above?: (visit: Visit, filters: Filters) => Promise<HtmlValue>;
  /** Renders plots, which are shown above the first page of the list. */
  readonly plots?: (visit: Visit, filters: Filters) => Promise<HtmlValue>;
};

/** An action that changes or reveals data. Its page first explains what will happen and asks for confirmation. */
export type Action = {
  readonly path: string;
  readonly title: string;
  /** Text of the button. */
  readonly button: string;
  readonly method: DescMethod;
  /** True if the action reveals an address, which requires a role with that permission and a reason. */
  readonly isReveal?: boolean;
  readonly isDanger?: boolean;
  /** True if the form can be submitted only once, so that reloading the page does not create a second secret. */
  readonly isOnce?: boolean;
  /**
   * True if the form may have up to 6 MB. The address to which it is posted contains a token, so that the console reads
   * such a body only from a session that has opened the form.
   */
  readonly isLarge?: boolean;
  /**
   * Text of a second button, which shows the page again with the typed values. `describe` then shows the result that
   * they would have.
   */
  readonly preview?: string;
  readonly fields?: (visit: Visit) => Promise<readonly Field[]> | readonly Field[];
  /** Returns a sentence that explains what will happen and names the resource. */
  readonly describe: (visit: Visit) => Promise<{ readonly what: HtmlValue; readonly crumbs?: Page["crumbs"] }>;
  readonly run: (visit: Visit, options: { readonly reason?: string }) => Promise<Outcome>;
};

/** One screen: its pages, lists and actions. */
export type Screen = {
  readonly views?: readonly View[];
  // biome-ignore lint/suspicious/noExplicitAny: each list has rows of its own
  readonly lists?: readonly Listing<any>[];
  readonly actions?: readonly Action[];
};
