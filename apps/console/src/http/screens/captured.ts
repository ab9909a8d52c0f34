import { captured as table } from "@platform/contracts/operator/captured";
import { type HtmlValue, html } from "@platform/kit/web/http";
import { type CapturedMessage, CapturedMessageAdminService } from "@platform/proto/notify/v1/captured_message_admin";
import { PageProblem } from "../page-problem.ts";
import { section } from "../pages/elements.ts";
import { rowFacts, screenOf } from "../resource-screen.ts";
import type { Screen, View } from "../screen.ts";
import type { Visit } from "../visit.ts";

const { showCapturedMessage } = CapturedMessageAdminService.method;

/** Renders the message as a person would have read it, and as the provider would have received it. */
async function messagePage(_visit: Visit, message: CapturedMessage): Promise<HtmlValue> {
  const { deliveryId, subject, text, html: mail, payloadJson } = message;
  return html`${rowFacts(table, message)}
${text !== undefined && section(subject || "Message", html`<pre tabindex="0">${text}</pre>`)}
${
  mail !== undefined &&
  section(
    "HTML part",
    html`<p><a class="btn" href="/captured/${deliveryId}/html" target="_blank" rel="noopener">Preview the HTML part</a></p><pre tabindex="0">${mail}</pre>`,
  )
}
${section("Provider payload", html`<pre tabindex="0">${JSON.stringify(JSON.parse(payloadJson), null, 2)}</pre>`)}`;
}

/**
 * Shows the HTML part of an email in a sandbox. Markup of projects runs no script, loads nothing and has no origin, so
 * it cannot reach the console.
 */
const mailView: View = {
  path: "/captured/:id/html",
  method: showCapturedMessage,
  show: async (visit) => {
    const { message } = await visit.ask(showCapturedMessage, { deliveryId: visit.param("id") });
    if (message?.html === undefined)
      throw new PageProblem(404, "There is nothing here", "The message has no HTML part.");
    visit.response
      .set("content-security-policy", "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:")
      .type("html")
      .send(message.html);
    return null;
  },
};

const screen = screenOf(table, { show: messagePage });

export const captured: Screen = { ...screen, views: [...(screen.views ?? []), mailView] };
