import { type HtmlValue, html, type SafeHtml } from "@platform/kit/web/http";
import { type Channel, channels, type SinkMessage } from "../store/message.ts";
import { channelNames, describe } from "./describe.ts";
import { linkTo, type PageChoice, searchMax } from "./page-query.ts";
import { renderDetail } from "./render-detail.ts";

/** What the page shows. */
export type PageState = {
  readonly choice: PageChoice;
  /** Attempts by channel, including messages that the sink no longer keeps. */
  readonly totals: Readonly<Partial<Record<string, number>>>;
  /** Faults that still wait for an attempt. */
  readonly faults: number;
  /** Newest messages of the chosen channel, newest first. */
  readonly messages: readonly SinkMessage[];
  /** The chosen message; null if none is chosen or the sink no longer keeps it. */
  readonly chosen: SinkMessage | null;
  /** Changes with everything that the page shows, so that the script in the page can poll for changes only. */
  readonly version: string;
};

/** Renders the page. It works without a script; `live.js` only keeps it up to date. */
export function renderPage(state: PageState): string {
  const { choice } = state;
  return html`<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Provider sink</title>
    <link rel="icon" href="data:,">
    <link rel="stylesheet" href="kit.css">
    <link rel="stylesheet" href="page.css">
    <link rel="stylesheet" href="detail.css">
    <script type="module" src="live.js"></script>
  </head>
  <body data-version="${state.version}">
    <header class="bar">
      <h1>Provider sink</h1>
      <nav class="channels" aria-label="Channel" id="channels">${[null, ...channels].map((each) => channelLink(state, each))}</nav>
      <form class="search" role="search">
        ${choice.channel === null ? null : html`<input type="hidden" name="channel" value="${choice.channel}">`}
        <label class="visually-hidden" for="search">Find by recipient or title</label>
        <input class="form-control" id="search" name="search" type="search" maxlength="${searchMax}" value="${choice.search}"
          placeholder="Recipient or title" autocomplete="off">
      </form>
      <p class="faults" id="faults" role="status">${faultsLine(state.faults)}</p>
      <form method="post" action="clear"><button class="btn">Clear messages</button></form>
    </header>
    <main>
      <section class="list" aria-label="Messages" id="messages">${messageList(state)}</section>
      <article class="detail" id="detail" aria-label="Message">${detail(state)}</article>
    </main>
  </body>
</html>
`.text;
}

function channelLink({ choice, totals }: PageState, channel: Channel | null): SafeHtml {
  const count =
    channel === null
      ? Object.values(totals).reduce<number>((sum, each) => sum + (each ?? 0), 0)
      : (totals[channel] ?? 0);
  return html`<a class="btn" id="channel-${channel ?? "all"}" href="${linkTo(choice, { channel, message: "", view: null })}"${current(channel === choice.channel)}>${
    channel === null ? "All" : channelNames[channel]
  }<span class="count">${count}</span></a>`;
}

const current = (isCurrent: boolean): HtmlValue => (isCurrent ? html` aria-current="true"` : null);

const faultsLine = (faults: number): string =>
  faults === 0 ? "" : `${faults} ${faults === 1 ? "fault" : "faults"} waiting`;

function messageList({ choice, messages }: PageState): SafeHtml {
  const shown = messages.filter((message) =>
    `${message.to} ${describe(message).title}`.toLowerCase().includes(choice.search),
  );
  if (shown.length > 0) return html`<ol>${shown.map((message) => html`<li>${item(choice, message)}</li>`)}</ol>`;
  return html`<p class="empty">${messages.length > 0 ? "Nothing matches." : "Nothing has arrived yet."}</p>`;
}

function item(choice: PageChoice, message: SinkMessage): SafeHtml {
  const { title, status, isRefused, shortTo } = describe(message);
  const { channel, id, received_at, to } = message;
  // The fragment scrolls to the message immediately on narrow screens, where it is below the list.
  return html`<a class="item" id="message-${id}" href="${linkTo(choice, { message: id, view: null })}#detail"${current(id === choice.message)}>
  <span class="title">${title}</span>
  <span class="status${isRefused ? " refused" : ""}">${status}</span>
  <span class="to" title="${to}">${channelNames[channel]} · ${shortTo}</span>
  <time class="when" datetime="${received_at}">${received_at.slice(11, 19)}</time>
</a>`;
}

function detail({ choice, chosen }: PageState): SafeHtml {
  if (chosen !== null) return renderDetail(chosen, choice);
  const why = choice.message === "" ? "Choose a message to read it." : "The sink no longer keeps this message.";
  return html`<p class="empty">${why}</p>`;
}
