/** The languages pages and mails are written in. */
export const languages = ["en", "ja"] as const;
export type Language = (typeof languages)[number];

/** The language for a transaction's locale (a BCP 47 tag): Japanese for any Japanese, English for all the rest. */
export function languageOf(locale: string): Language {
  return /^ja(?:[-_]|$)/i.test(locale) ? "ja" : "en";
}
