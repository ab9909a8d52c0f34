import { html } from "@platform/kit/web/http";
import type { MessageContent } from "../domain/delivery.ts";
import type { Resubscription } from "../domain/endpoint.ts";

const texts = {
  en: {
    subject: "Confirm that you want to receive these emails again",
    body: "Someone requested that you receive these emails again. To confirm, open this link within 24 hours:",
    otherwise: "If it was not you, you do not have to do anything. You stay unsubscribed.",
  },
  ja: {
    subject: "メール配信再開の確認",
    body: "このメールの配信再開が申し込まれました。再開するには、24時間以内に次のリンクを開いてください。",
    otherwise: "お心当たりのない場合は、何もする必要はありません。配信は停止されたままです。",
  },
} as const;

/** Composes the email with the link that restores consent. */
export function resubscribeMail(
  { locale, purpose }: Pick<Resubscription, "locale" | "purpose">,
  url: string,
): MessageContent {
  const { subject, body, otherwise } = texts[locale];
  return {
    subject,
    text: `${body}\n\n${url}\n\n${purpose}\n\n${otherwise}\n`,
    html: html`<html lang="${locale}"><body><p>${body}</p><p><a href="${url}">${url}</a></p><p><strong>${purpose}</strong></p><p>${otherwise}</p></body></html>`
      .text,
    push: null,
  };
}
