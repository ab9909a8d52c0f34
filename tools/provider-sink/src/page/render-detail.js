import { channelNames, describe } from "./describe.js";
import { element } from "./element.js";

/** The elements that show one message whole. */
export function renderDetail(message) {
  const view = describe(message);
  const refusal = view.isRefused ? [element("p", { class: "verdict" }, verdict(message))] : [];
  const title = element("h2", {}, view.title);
  if (message.channel === "email") return [title, facts(message), ...refusal, ...mail(message)];
  const shown = message.channel === "line" ? chat(view.texts ?? []) : card(message, view);
  return [title, ...refusal, shown, facts(message), ...dataOf(message, view)];
}

function verdict({ answered_status: status }) {
  return status === null ? "The connection was cut: nothing was accepted." : `Refused: answered ${status}.`;
}

function facts(message) {
  const { parsed } = message;
  const pairs = [
    ["Channel", channelNames[message.channel]],
    ["From", message.channel === "email" ? addresses(parsed?.from ? [parsed.from] : []) : ""],
    ["To", message.to],
    ["Received", `${message.received_at.slice(0, 10)} ${message.received_at.slice(11, 23)} UTC`],
    ["Answered", message.answered_status ?? "no answer"],
    ["Topic", message.headers["apns-topic"] ?? message.headers.topic],
    ["Urgency", message.headers.urgency],
    ["Priority", message.headers["apns-priority"]],
    ["Retry key", message.headers["x-line-retry-key"]],
    ["Message-ID", message.headers["message-id"]],
    ["Connection", connection(parsed?.envelope)],
  ];
  const shown = pairs.filter(([, value]) => value !== undefined && value !== "");
  return pairList(shown);
}

function pairList(pairs) {
  const items = pairs.flatMap(([name, value]) => [element("dt", {}, name), element("dd", {}, String(value))]);
  return element("dl", { class: "facts" }, ...items);
}

function connection(envelope) {
  if (!envelope) return "";
  const user = envelope.auth ? `, signed in as ${envelope.auth.username}` : ", not signed in";
  return `${envelope.protocol}${envelope.tls ? "" : " (not encrypted)"}${user}`;
}

function addresses(list) {
  return list.map(({ name, address }) => (name ? `${name} <${address}>` : address)).join(", ");
}

function mail(message) {
  const { html, text, attachments = [] } = message.parsed ?? {};
  const views = [
    ["Rendered", html && (() => renderedMail(message))],
    ["Text", text && (() => element("pre", {}, text))],
    ["HTML", html && (() => element("pre", {}, html))],
    ["Headers", message.raw && (() => headerList(message.headers))],
    ["Source", message.raw && (() => element("pre", {}, message.raw))],
  ].filter(([, render]) => render);
  const files = attachments.map(({ filename, mimeType }) => `${filename ?? "(no name)"} — ${mimeType}`).join(", ");
  const attached = files === "" ? [] : [element("p", {}, `Attached: ${files}`)];
  return views.length > 0 ? [...attached, ...tabs(views)] : [];
}

/** Somebody else's HTML: in a frame that runs nothing and can reach nothing. */
function renderedMail(message) {
  return element("iframe", { sandbox: "", src: `messages/${message.id}/html`, title: "The mail as it looks" });
}

function tabs(views) {
  const panel = element("div");
  const buttons = views.map(([name, render]) => {
    const button = element("button", { type: "button", class: "btn", "aria-pressed": "false" }, name);
    button.addEventListener("click", () => {
      for (const other of buttons) other.setAttribute("aria-pressed", String(other === button));
      panel.replaceChildren(render());
    });
    return button;
  });
  buttons[0].click();
  return [element("div", { class: "tabs" }, ...buttons), panel];
}

/** What a push carries beside its words. */
function dataOf(message, view) {
  const data = Object.entries(view.data ?? {});
  const parts = [];
  if (data.length > 0) {
    const pairs = data.map(([name, value]) => [name, typeof value === "string" ? value : JSON.stringify(value)]);
    parts.push(element("h3", {}, "Data"), pairList(pairs));
  }
  const body = message.parsed === null ? message.raw : JSON.stringify(message.parsed, null, 2);
  parts.push(disclosure("Body", element("pre", {}, body)), disclosure("Headers", headerList(message.headers)));
  return parts;
}

function card(message, view) {
  return element(
    "div",
    { class: "push" },
    element("span", { class: "mark", "aria-hidden": "true" }, channelNames[message.channel][0]),
    element(
      "div",
      { class: "source" },
      element("span", {}, message.headers["apns-topic"] ?? channelNames[message.channel]),
      element("span", {}, message.received_at.slice(11, 16)),
    ),
    element("div", { class: "title" }, view.title),
    element("div", { class: "body" }, view.body),
  );
}

function chat(texts) {
  return element("div", { class: "chat" }, ...texts.map((text) => element("div", { class: "bubble" }, text)));
}

function disclosure(name, content) {
  return element("details", {}, element("summary", {}, name), content);
}

function headerList(headers) {
  return pairList(Object.entries(headers));
}
