/** The languages pages and mails are written in. */
export type Language = "en" | "ja";

/** The language for a transaction's locale (a BCP 47 tag): Japanese for any Japanese, English for all the rest. */
export function languageOf(locale: string): Language {
  return /^ja(?:[-_]|$)/i.test(locale) ? "ja" : "en";
}
