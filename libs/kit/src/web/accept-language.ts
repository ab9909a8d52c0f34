import Negotiator from "negotiator";

/** The rest of a longer header is ignored. */
const headerLengthMax = 200;

/**
 * Chooses a language for an Accept-Language header (RFC 9110 §12.5.4): the offered language that the client prefers,
 * otherwise the first one offered.
 * @param offered primary subtags, such as `en`
 */
export function acceptedLanguage<const L extends string>(header: string | undefined, offered: readonly [L, ...L[]]): L {
  const headers = { "accept-language": (header ?? "").slice(0, headerLengthMax) };
  const preferred = new Negotiator({ headers }).language(offered);
  return offered.find((language) => language === preferred) ?? offered[0];
}

/**
 * Returns the language tags that an Accept-Language header requests, the preferred one first. Tags that `q=0` excludes
 * are omitted.
 */
export function acceptedLanguages(header: string | undefined): string[] {
  return new Negotiator({ headers: { "accept-language": (header ?? "").slice(0, headerLengthMax) } }).languages();
}
