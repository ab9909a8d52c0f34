import type { Language } from "../../domain/page-language.ts";
import { en, type Texts } from "./en.ts";
import { ja } from "./ja.ts";

const languages: Readonly<Record<Language, Texts>> = { en, ja };

/** The words of the hosted pages in a language. */
export function textsOf(language: Language): Texts {
  return languages[language];
}
