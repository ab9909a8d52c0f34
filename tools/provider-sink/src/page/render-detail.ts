import { type HtmlValue, html, type SafeHtml } from "@platform/kit/web/http";
import type { SinkMessage } from "../store/message.ts";
import { channelNames, type Description, describe, fieldsOf } from "./describe.ts";
import { linkTo, type MailView, mailViews, type PageChoice } from "./page-query.ts";

/** Renders one complete message. */
export function renderDetail(message: SinkMessage, choice: PageChoice): SafeHtml {
  const view = describe(message);
  const refusal = view.isRefused ? html`<p class="verdict">${verdict(message)}</p>` : null;
  const title = html`<h2>${view.title}</h2>`;
  if (message.channel === "email") return html`${title}${facts(message)}${refusal}${mail(message, choice)}`;
  const shown = message.channel === "line" ? chat(view.texts ?? []) : card(message, view);
  return html`${title}${refusal}${shown}${facts(message)}${dataOf(message, view)}`;
}

function verdict({ answered_status: status }: SinkMessage): string {
  return status === null ? "The connection was cut: nothing was accepted." : `Refused: answered ${status}.`;
}

function facts(message: SinkMessage): SafeHtml {
  const { channel, headers, parsed, received_at: at } = message;
  const pairs: [string, unknown][] = [
    ["Channel", channelNames[channel]],
    ["From", channel === "email" ? address(parsed?.from) : ""],
    ["To", message.to],
    ["Received", `${at.slice(0, 10)} ${at.slice(11, 23)} UTC`],
    ["Answered", message.answered_status ?? "no answer"],
    ["Topic", headers["apns-topic"] ?? headers.topic],
    ["Urgency", headers.urgency],
    ["Priority", headers["apns-priority"]],
    ["Retry key", headers["x-line-retry-key"]],
    ["Message-ID", headers["message-id"]],
    ["Connection", connection(parsed?.envelope)],
  ];
  return pairList(pairs.filter(([, value]) => value !== undefined && value !== ""));
}

const pairList = (pairs: readonly (readonly [string, unknown])[]): SafeHtml =>
  html`<dl class="facts">${pairs.map(([name, value]) => html`<dt>${name}</dt><dd>${String(value)}</dd>`)}</dl>`;

function address(from: unknown): string {
  const { name, address } = fieldsOf(from);
  if (typeof address !== "string") return "";
  return typeof name === "string" && name !== "" ? `${name} <${address}>` : address;
}

function connection(envelope: unknown): string {
  const { protocol, tls, auth } = fieldsOf(envelope);
  if (typeof protocol !== "string") return "";
  const { username } = fieldsOf(auth);
  const user = username === undefined ? ", not signed in" : `, signed in as ${username}`;
  return `${protocol}${tls ? "" : " (not encrypted)"}${user}`;
}

const preformatted = (text: unknown): SafeHtml => html`<pre>${String(text)}</pre>`;

const viewNames: Readonly<Record<MailView, string>> = {
  rendered: "Rendered",
  text: "Text",
  html: "HTML",
  headers: "Headers",
  source: "Source",
};

function mail(message: SinkMessage, choice: PageChoice): HtmlValue {
  const { html: markup, text, attachments } = fieldsOf(message.parsed);
  const renderers: Readonly<Record<MailView, (() => SafeHtml) | false>> = {
    // The markup comes from someone else, so it is shown in a frame that runs no scripts and has no network access.
    rendered:
      Boolean(markup) &&
      (() => html`<iframe sandbox="" src="messages/${message.id}/html" title="The mail as it looks"></iframe>`),
    text: Boolean(text) && (() => preformatted(text)),
    html: Boolean(markup) && (() => preformatted(markup)),
    headers: message.raw !== "" && (() => headerList(message)),
    source: message.raw !== "" && (() => preformatted(message.raw)),
  };
  const views = mailViews.filter((each) => renderers[each] !== false);
  const shown = views.find((each) => each === choice.view) ?? views[0];
  const render = shown === undefined ? false : renderers[shown];
  if (render === false) return null;
  const tabs = views.map(
    (each) =>
      html`<a class="btn" href="${linkTo(choice, { view: each })}#detail"${each === shown ? html` aria-current="true"` : null}>${viewNames[each]}</a>`,
  );
  return html`${attached(attachments)}<nav class="tabs" aria-label="View">${tabs}</nav>${render()}`;
}

function attached(attachments: unknown): HtmlValue {
  if (!Array.isArray(attachments) || attachments.length === 0) return null;
  const files = attachments.map((each) => {
    const { filename, mimeType } = fieldsOf(each);
    return `${filename ?? "(no name)"} — ${mimeType}`;
  });
  return html`<p>Attached: ${files.join(", ")}</p>`;
}

/** Renders the additional data of a push. */
function dataOf(message: SinkMessage, { data }: Description): SafeHtml {
  const pairs = Object.entries(data).map(
    ([name, value]) => [name, typeof value === "string" ? value : JSON.stringify(value)] as const,
  );
  const body = message.parsed === null ? message.raw : JSON.stringify(message.parsed, null, 2);
  return html`${pairs.length === 0 ? null : html`<h3>Data</h3>${pairList(pairs)}`}
<details><summary>Body</summary>${preformatted(body)}</details>
<details><summary>Headers</summary>${headerList(message)}</details>`;
}

function card({ channel, headers, received_at }: SinkMessage, { title, body }: Description): SafeHtml {
  return html`<div class="push">
  <span class="mark" aria-hidden="true">${channelNames[channel].slice(0, 1)}</span>
  <div class="source"><span>${headers["apns-topic"] ?? channelNames[channel]}</span><span>${received_at.slice(11, 16)}</span></div>
  <div class="title">${title}</div>
  <div class="body">${body}</div>
</div>`;
}

const chat = (texts: readonly string[]): SafeHtml =>
  html`<div class="chat">${texts.map((text) => html`<div class="bubble">${text}</div>`)}</div>`;

const headerList = ({ headers }: SinkMessage): SafeHtml => pairList(Object.entries(headers));
