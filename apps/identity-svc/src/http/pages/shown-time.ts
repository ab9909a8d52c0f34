import { html, type SafeHtml } from "@platform/kit/web/http";
import type { Language } from "../../domain/page-language.ts";
import { numberingLocale } from "../../locales/texts.ts";

/**
 * Renders a time in the given language. The page contains it in UTC; the page's script then shows it in the reader's
 * time zone.
 */
export function shownTime(language: Language, at: Date): SafeHtml {
  const locale = numberingLocale(language);
  const format = new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeStyle: "short", timeZone: "UTC" });
  return html`<time datetime="${at.toISOString()}" data-locale="${locale}">${format.format(at)} UTC</time>`;
}
