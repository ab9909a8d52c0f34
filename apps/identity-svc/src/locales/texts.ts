import { IntlMessageFormat } from "intl-messageformat";
import { directionOf, type Language } from "../domain/page-language.ts";
import ar from "./ar.json" with { type: "json" };
import de from "./de.json" with { type: "json" };
import en from "./en.json" with { type: "json" };
import es from "./es.json" with { type: "json" };
import fr from "./fr.json" with { type: "json" };
import ja from "./ja.json" with { type: "json" };
import ko from "./ko.json" with { type: "json" };
import ptBR from "./pt-BR.json" with { type: "json" };
import zhHans from "./zh-Hans.json" with { type: "json" };
import zhHant from "./zh-Hant.json" with { type: "json" };

export type TextKey = keyof typeof en;

/** The texts of each language in ICU MessageFormat, as they are in its file. */
export const catalogs: Readonly<Record<Language, Readonly<Record<TextKey, string>>>> = {
  en,
  ja,
  de,
  fr,
  es,
  "pt-BR": ptBR,
  ko,
  "zh-Hans": zhHans,
  "zh-Hant": zhHant,
  ar,
};

/**
 * Returns a text of a language with its values filled in; not escaped for HTML.
 * @throws Error if a value of the text is missing
 */
export type Texts = (key: TextKey, values?: Readonly<Record<string, string | number>>) => string;

/** Returns the pieces of a text, in order, for values that are parts of a page, such as elements. */
export type RichText = <T extends object>(key: TextKey, values: Readonly<Record<string, T>>) => readonly (string | T)[];

const formats = new Map<string, IntlMessageFormat>();

/** The parsed form of a text, cached because parsing costs more than filling in. */
function formatOf(language: Language, key: TextKey): IntlMessageFormat {
  const id = `${language} ${key}`;
  const known = formats.get(id);
  if (known !== undefined) return known;
  // The texts contain no markup, so angle brackets are treated as characters and not as elements.
  const format = new IntlMessageFormat(catalogs[language][key], numberingLocale(language), undefined, {
    ignoreTag: true,
  });
  formats.set(id, format);
  return format;
}

/** The locale of numbers and times. Arabic pages use Western digits, because the codes and addresses on them do. */
export const numberingLocale = (language: Language): string => (language === "ar" ? "ar-u-nu-latn" : language);

/**
 * In right-to-left text, addresses and names are isolated by invisible characters (UAX #9, FSI and PDI). Otherwise an
 * adjacent full stop or parenthesis would move to their other side.
 */
const isolate = (value: string): string => `\u2068${value}\u2069`;

/** The texts of pages and emails in a language. */
export function textsOf(language: Language): Texts {
  const isRightToLeft = directionOf(language) === "rtl";
  return (key, values = {}) => {
    const filledIn = isRightToLeft
      ? Object.fromEntries(
          Object.entries(values).map(([name, value]) => [name, typeof value === "string" ? isolate(value) : value]),
        )
      : values;
    return String(formatOf(language, key).format(filledIn));
  };
}

/** Creates the same function for values that are parts of a page. */
export function richTextsOf(language: Language): RichText {
  return <T extends object>(key: TextKey, values: Readonly<Record<string, T>>) =>
    [formatOf(language, key).format<T>(values)].flat() as (string | T)[];
}
