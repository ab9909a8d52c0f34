import { createHash } from "node:crypto";
import { html } from "@platform/kit/web/http";

export type PageLocale = "en" | "ja";
/**
 * `ask` and `done` belong to the unsubscribe link, `mailed` is the response to a request to subscribe again, and
 * `confirm` and `confirmed` belong to the link in the email that follows.
 */
export type PageState = "ask" | "done" | "mailed" | "confirm" | "confirmed" | "unavailable" | "unknown" | "failed";
type FormState = "ask" | "done" | "confirm";

const texts: Readonly<
  Record<
    PageLocale,
    Record<PageState, { title: string; body: string }> & { buttons: Record<FormState, string>; reference: string }
  >
> = {
  en: {
    ask: { title: "Unsubscribe", body: "Do you want to stop receiving these emails?" },
    done: { title: "You are unsubscribed", body: "You will no longer receive these emails." },
    mailed: {
      title: "Check your email",
      body: "If you were unsubscribed, we have sent you an email with a link. Open it to receive these emails again.",
    },
    confirm: { title: "Subscribe again?", body: "You have unsubscribed from these emails." },
    confirmed: { title: "You are subscribed again", body: "You will receive these emails again." },
    unavailable: { title: "Not available", body: "This project is currently unavailable." },
    unknown: {
      title: "This link is not valid",
      body: "It may have expired or already been used. Open the link exactly as it is in the email.",
    },
    failed: { title: "Something went wrong", body: "Nothing was changed. Please try again in a moment." },
    buttons: { ask: "Unsubscribe", done: "Subscribe again", confirm: "Subscribe again" },
    reference: "Reference",
  },
  ja: {
    ask: { title: "配信停止", body: "このメールの配信を停止しますか？" },
    done: { title: "配信を停止しました", body: "今後、このメールは届きません。" },
    mailed: {
      title: "メールをご確認ください",
      body: "配信を停止されていた場合は、リンクを記載したメールをお送りします。リンクで確認すると、配信が再開されます。",
    },
    confirm: { title: "配信を再開しますか？", body: "このメールの配信は停止されています。" },
    confirmed: { title: "配信を再開しました", body: "今後、このメールが届きます。" },
    unavailable: { title: "現在ご利用いただけません", body: "このプロジェクトは現在ご利用いただけません。" },
    unknown: {
      title: "このリンクは無効です",
      body: "期限切れか、すでに使用されています。メールに記載されたリンクをそのままお使いください。",
    },
    failed: { title: "処理できませんでした", body: "変更は行われていません。しばらくしてからもう一度お試しください。" },
    buttons: { ask: "配信を停止する", done: "配信を再開する", confirm: "配信を再開する" },
    reference: "照会番号",
  },
};

const style =
  "body{font:1.1rem/1.6 system-ui,sans-serif;max-width:34rem;margin:15vh auto;padding:0 1.5rem;color:#1a1a1a;background:#fff}" +
  "h1{font-size:1.6rem;line-height:1.3}button{font:inherit;font-weight:600;padding:.7rem 1.4rem;border:0;border-radius:.4rem;" +
  "background:#0b57a4;color:#fff;cursor:pointer}button:focus-visible{outline:3px solid #f0a500;outline-offset:3px}" +
  "small{color:#595959}";

/** Content Security Policy: the page loads nothing, runs no script, and posts its form only to its own origin. */
export const pageSecurityPolicy =
  `default-src 'none'; style-src 'sha256-${createHash("sha256").update(style).digest("base64")}'; ` +
  "form-action 'self'; frame-ancestors 'none'; base-uri 'none'";

/**
 * A page that a person sees after following a link in an email.
 * @param action target of the form, relative to the link that was followed; by default that link
 * @param reference correlation id, which is shown after an error
 */
export function unsubscribePage(
  locale: PageLocale,
  state: PageState,
  details: { readonly purpose?: string; readonly reference?: string; readonly action?: string } = {},
): string {
  const { buttons, reference } = texts[locale];
  const { title, body } = texts[locale][state];
  const { purpose } = details;
  const forms = {
    // The form has no action, so it posts to the URL of the page.
    ask: () =>
      html`<form method="post"><input type="hidden" name="List-Unsubscribe" value="One-Click"><button type="submit">${buttons.ask}</button></form>`,
    done: () =>
      html`<form method="post" action="${details.action ?? ""}"><button type="submit">${buttons.done}</button></form>`,
    confirm: () => html`<form method="post"><button type="submit">${buttons.confirm}</button></form>`,
  };
  const form = (state === "ask" || state === "done" || state === "confirm") && forms[state]();
  return html`<!doctype html><html lang="${locale}"><head><meta charset="utf-8"><meta name="robots" content="noindex"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${title}</title><style>${style}</style></head>
<body><main><h1>${title}</h1><p>${body}</p>${purpose !== undefined && html`<p><strong>${purpose}</strong></p>`}${form}${details.reference !== undefined && html`<p><small>${reference}: ${details.reference}</small></p>`}</main></body></html>`
    .text;
}
