import type { Channel, SinkMessage } from "../store/message.ts";

/** Names of the channels, in the order in which the page shows them. */
export const channelNames: Readonly<Record<Channel, string>> = {
  email: "Email",
  fcm: "FCM",
  apns: "APNs",
  line: "LINE",
  web_push: "Web Push",
};

/** The readable texts of a message. */
type Content = {
  readonly title: string;
  readonly body: string;
  readonly data: Fields;
  /** Texts of a LINE message, which has several. */
  readonly texts?: readonly string[];
};

/** A message as the page shows it. */
export type Description = Content & {
  readonly status: string;
  readonly isRefused: boolean;
  readonly shortTo: string;
};

type Fields = Readonly<Record<string, unknown>>;

/** Describes a message: title and text of the notification, the data it carries, and how the sink responded. */
export function describe(message: SinkMessage): Description {
  const { answered_status: status, channel, parsed, to } = message;
  const content =
    typeof parsed === "string" ? { title: parsed, body: "", data: {} } : readers[channel](fieldsOf(parsed));
  return {
    ...content,
    title: content.title || titleOfData(content.data) || "(no title)",
    status: status === null ? "cut" : String(status),
    isRefused: status === null || status >= 300,
    // Endpoint URLs of one push service differ only at their end, so only the end is shown.
    shortTo: channel === "web_push" ? to.slice(to.lastIndexOf("/") + 1) : to,
  };
}

/** Returns the fields of an object, and none of any other value: a refused body can be any JSON. */
export const fieldsOf = (value: unknown): Fields => (typeof value === "object" && value !== null ? { ...value } : {});

const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

const readers: Readonly<Record<Channel, (parsed: Fields) => Content>> = {
  email: ({ subject, text }) => ({
    title: typeof subject === "string" ? subject : "(refused before its content)",
    body: textOf(text),
    data: {},
  }),
  fcm: ({ message }) => {
    const { notification, data } = fieldsOf(message);
    return { ...words(notification), data: fieldsOf(data) };
  },
  apns: ({ aps, ...data }) => {
    const { alert } = fieldsOf(aps);
    if (typeof alert === "string") return { title: alert, body: "", data };
    const { title, body } = words(alert);
    return title === "" ? { title: body, body: "", data } : { title, body, data };
  },
  line: ({ messages }) => {
    const texts = (Array.isArray(messages) ? messages : []).map((part) => {
      const { text, altText, type } = fieldsOf(part);
      return String(text ?? altText ?? `[${type}]`);
    });
    return { title: texts[0] ?? "", body: "", data: {}, texts };
  },
  web_push: ({ title, body, notification, data, ...rest }) => {
    const own = words({ title, body });
    return { ...(own.title === "" ? words(notification) : own), data: fieldsOf(data ?? rest) };
  },
};

function words(notification: unknown): { title: string; body: string } {
  const { title, body } = fieldsOf(notification);
  return { title: textOf(title), body: textOf(body) };
}

/** Returns the title of a push without texts, from the type of its data. */
const titleOfData = ({ type }: Fields): string => textOf(type).replaceAll("_", " ");
