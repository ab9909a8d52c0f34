import { createHash } from "node:crypto";
import { html } from "@platform/service-kit/http/html";

export type PageLocale = "en" | "ja";
type PageState = "ask" | "done" | "unknown" | "failed";

const texts: Readonly<
  Record<PageLocale, Record<PageState, { title: string; body: string }> & { button: string; reference: string }>
> = {
  en: {
    ask: { title: "Unsubscribe", body: "Stop getting these emails?" },
    done: { title: "You are unsubscribed", body: "You will not get these emails any more." },
    unknown: { title: "This link is not valid", body: "Use the unsubscribe link of the email as it is." },
    failed: { title: "That did not work", body: "Nothing was changed. Please try again in a moment." },
    button: "Unsubscribe",
    reference: "Reference",
  },
  ja: {
    ask: { title: "配信停止", body: "このメールの配信を停止しますか？" },
    done: { title: "配信を停止しました", body: "今後、このメールは届きません。" },
    unknown: { title: "このリンクは無効です", body: "メールに記載された配信停止リンクをそのままお使いください。" },
    failed: { title: "処理できませんでした", body: "変更は行われていません。しばらくしてからもう一度お試しください。" },
    button: "配信を停止する",
    reference: "照会番号",
  },
};

const style =
  "body{font:1.1rem/1.6 system-ui,sans-serif;max-width:34rem;margin:15vh auto;padding:0 1.5rem;color:#1a1a1a;background:#fff}" +
  "h1{font-size:1.6rem;line-height:1.3}button{font:inherit;font-weight:600;padding:.7rem 1.4rem;border:0;border-radius:.4rem;" +
  "background:#0b57a4;color:#fff;cursor:pointer}button:focus-visible{outline:3px solid #f0a500;outline-offset:3px}" +
  "small{color:#595959}";

/** Nothing is loaded and no script runs; the form goes back to where it came from. */
export const pageSecurityPolicy =
  `default-src 'none'; style-src 'sha256-${createHash("sha256").update(style).digest("base64")}'; ` +
  "form-action 'self'; frame-ancestors 'none'; base-uri 'none'";

/**
 * A page a person sees after following an unsubscribe link.
 * @param reference correlation id, shown where something went wrong
 */
export function unsubscribePage(
  locale: PageLocale,
  state: PageState,
  details: { readonly purpose?: string; readonly reference?: string } = {},
): string {
  const { button, reference } = texts[locale];
  const { title, body } = texts[locale][state];
  const { purpose } = details;
  // The form has no action, so it posts to the URL of the page.
  const form =
    state === "ask" &&
    html`<form method="post"><input type="hidden" name="List-Unsubscribe" value="One-Click"><button type="submit">${button}</button></form>`;
  return html`<!doctype html><html lang="${locale}"><head><meta charset="utf-8"><meta name="robots" content="noindex"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${title}</title><style>${style}</style></head>
<body><main><h1>${title}</h1><p>${body}</p>${purpose !== undefined && html`<p><strong>${purpose}</strong></p>`}${form}${details.reference !== undefined && html`<p><small>${reference}: ${details.reference}</small></p>`}</main></body></html>`
    .text;
}
