/** Channels in the order they are shown. */
export const channelNames = {
  email: "Email",
  fcm: "FCM",
  apns: "APNs",
  line: "LINE",
  web_push: "Web Push",
};

/**
 * What a person wants to see first of a message: title and text of the notification, the data it carries, and
 * how the sink answered.
 */
export function describe(message) {
  const isRefused = message.answered_status === null || message.answered_status >= 300;
  const plainText = typeof message.parsed === "string" ? { title: message.parsed, body: "", data: {} } : null;
  const content = plainText ?? readers[message.channel](record(message.parsed));
  return {
    ...content,
    title: content.title || dataTitle(content.data) || "(no title)",
    status: message.answered_status === null ? "cut" : String(message.answered_status),
    isRefused,
    // An endpoint URL tells apart by its end only.
    shortTo: message.channel === "web_push" ? message.to.slice(message.to.lastIndexOf("/") + 1) : message.to,
  };
}

/** A body can be any JSON, refused ones above all: what is no object reads as an empty one. */
const record = (value) => (typeof value === "object" && value !== null ? value : {});

const readers = {
  email: (parsed) => ({ title: parsed.subject ?? "(refused before its content)", body: parsed.text ?? "", data: {} }),
  fcm: (parsed) => {
    const { notification, data } = record(parsed.message);
    return { ...words(notification), data: record(data) };
  },
  apns: ({ aps, ...data }) => {
    const { alert } = record(aps);
    if (typeof alert === "string") return { title: alert, body: "", data };
    const { title, body } = words(alert);
    return title === "" ? { title: body, body: "", data } : { title, body, data };
  },
  line: ({ messages }) => {
    const texts = (Array.isArray(messages) ? messages : []).map((part) => {
      const { text, altText, type } = record(part);
      return String(text ?? altText ?? `[${type}]`);
    });
    return { title: texts[0] ?? "", body: "", data: {}, texts };
  },
  web_push: ({ title, body, notification, data, ...rest }) => {
    const own = words({ title, body });
    return { ...(own.title === "" ? words(notification) : own), data: record(data ?? rest) };
  },
};

function words(notification) {
  const { title, body } = record(notification);
  return { title: typeof title === "string" ? title : "", body: typeof body === "string" ? body : "" };
}

/** A push without words is named after the type of its data. */
function dataTitle(data) {
  return typeof data?.type === "string" ? data.type.replaceAll("_", " ") : "";
}
