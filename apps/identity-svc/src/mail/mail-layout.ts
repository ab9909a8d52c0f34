import { html, type SafeHtml } from "@platform/kit/web/http";
import { directionOf, type Language } from "../domain/page-language.ts";

/** An email without its envelope. */
export type MailContent = { readonly subject: string; readonly text: string; readonly html: string };

/** The sender's name at the top of an email. */
export function mailSender(name: string): SafeHtml {
  return html`<p style="margin:0 0 24px;color:#1d4ed8;font-weight:700">${name}</p>`;
}

/** A code to be typed, with its label and a note on how long it is valid. */
export function mailCode(label: string, code: string, note: string): SafeHtml {
  return html`<p style="margin:0 0 4px;color:#475569;font-size:14px">${label}</p>
<p style="margin:0 0 4px;font:700 34px/1.2 ui-monospace,Menlo,Consolas,monospace;letter-spacing:6px"><bdi>${code}</bdi></p>
<p style="margin:0 0 24px;color:#475569;font-size:14px">${note}</p>`;
}

/** The first paragraph of an email. */
export function mailIntro(text: string): SafeHtml {
  return html`<p style="margin:0 0 24px">${text}</p>`;
}

/** A link as a button, followed by its address for people who copy it. */
export function mailLink(note: string, label: string, link: string): SafeHtml {
  return html`<p style="margin:0 0 12px">${note}</p>
<p style="margin:0 0 12px"><a href="${link}" style="display:inline-block;padding:12px 20px;border-radius:8px;background:#1d4ed8;color:#ffffff;text-decoration:none;font-weight:600">${label}</a></p>
<p dir="ltr" style="margin:0 0 24px;color:#475569;font-size:13px;word-break:break-all">${link}</p>`;
}

/** The closing paragraph: what to do with an unexpected email. */
export function mailFooter(text: string): SafeHtml {
  return html`<p style="margin:0;padding-top:16px;border-top:1px solid #e2e8f0;color:#475569;font-size:14px">${text}</p>`;
}

/** The HTML part of an email, around the given paragraphs. */
export function mailPage(language: Language, body: readonly (SafeHtml | false)[]): SafeHtml {
  return html`<!doctype html>
<html lang="${language}" dir="${directionOf(language)}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"></head>
<body style="margin:0;padding:24px;background:#f1f5f9">
<div dir="${directionOf(language)}" style="max-width:520px;margin:0 auto;padding:32px;border-radius:12px;background:#ffffff;color:#0f172a;font:16px/1.6 system-ui,-apple-system,'Segoe UI','Hiragino Sans','Noto Sans JP',sans-serif">
${body}
</div></body></html>
`;
}
