import { html, type SafeHtml } from "@platform/kit/web/http";
import type { Language } from "../../domain/page-language.ts";
import { numberingLocale } from "../../locales/texts.ts";

/** A time in words of a language: in UTC as it is sent, and in the reader's time zone once the page's script has run. */
export function shownTime(language: Language, at: Date): SafeHtml {
  const locale = numberingLocale(language);
  const format = new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeStyle: "short", timeZone: "UTC" });
  return html`<time datetime="${at.toISOString()}" data-locale="${locale}">${format.format(at)} UTC</time>`;
}
