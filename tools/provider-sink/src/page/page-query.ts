import { type Channel, channels } from "../store/message.ts";

/** Ways to look at an email. */
export const mailViews = ["rendered", "text", "html", "headers", "source"] as const;
export type MailView = (typeof mailViews)[number];

/** A person's choices on the page, which are part of its address. */
export type PageChoice = {
  /** Null for all channels. */
  readonly channel: Channel | null;
  /** Part of a recipient or title, in lower case; empty for all. */
  readonly search: string;
  /** Id of the message that is open; empty without one. */
  readonly message: string;
  /** The chosen view of an email; null for the first view that the email has. */
  readonly view: MailView | null;
};

/** Maximum length of a search, in characters. */
export const searchMax = 200;

/** Reads the query of the page. A person may have typed the address, so an unknown value counts as no choice. */
export function readChoice(query: Readonly<Record<string, unknown>>): PageChoice {
  const text = (name: string): string => (typeof query[name] === "string" ? query[name] : "");
  return {
    channel: channels.find((each) => each === text("channel")) ?? null,
    search: text("search").trim().toLowerCase().slice(0, searchMax),
    message: /^\d{1,15}$/.test(text("message")) ? text("message") : "",
    view: mailViews.find((each) => each === text("view")) ?? null,
  };
}

/** Returns the address of the page with another choice. */
export function linkTo(choice: PageChoice, change: Partial<PageChoice>): string {
  const entries = Object.entries({ ...choice, ...change }).filter(([, value]) => value !== null && value !== "");
  const query = new URLSearchParams(entries.map(([name, value]): [string, string] => [name, `${value}`])).toString();
  return query === "" ? "./" : `./?${query}`;
}
