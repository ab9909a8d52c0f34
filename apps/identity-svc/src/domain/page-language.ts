/**
 * The languages of pages and emails. Each has a file in `locales/`. The first one is used for people whose language
 * is missing.
 */
export const languages = ["en", "ja", "de", "fr", "es", "pt-BR", "ko", "zh-Hans", "zh-Hant", "ar"] as const;
export type Language = (typeof languages)[number];

/**
 * The language for a BCP 47 tag, or null if there is none. Regions share a language: `de-AT` is German, and any
 * Portuguese is `pt-BR`. Chinese depends on the script, which follows from the region if the tag does not contain it:
 * `zh-TW` is Traditional.
 * @param tag as callers send it; underscores count as hyphens
 */
export function matchingLanguage(tag: string): Language | null {
  const locale = parseTag(tag.replaceAll("_", "-"));
  if (locale === null) return null;
  if (locale.language === "zh") return locale.maximize().script === "Hant" ? "zh-Hant" : "zh-Hans";
  return languages.find((language) => language.split("-")[0] === locale.language) ?? null;
}

/** The language for a transaction's locale, or English if the language is missing. */
export function languageOf(locale: string): Language {
  return matchingLanguage(locale) ?? languages[0];
}

/** The direction in which a language is written. */
export function directionOf(language: Language): "ltr" | "rtl" {
  return language === "ar" ? "rtl" : "ltr";
}

/** A language's name in that language, such as `Deutsch`. */
export function nameOf(language: Language): string {
  const name = new Intl.DisplayNames([language], { type: "language" }).of(language) ?? language;
  return name.charAt(0).toLocaleUpperCase(language) + name.slice(1);
}

function parseTag(tag: string): Intl.Locale | null {
  try {
    return new Intl.Locale(tag);
  } catch {
    return null;
  }
}
