import Negotiator from "negotiator";

/** The rest of a longer header is ignored. */
const headerLengthMax = 200;

/**
 * Returns the language for an Accept-Language header (RFC 9110 §12.5.4): the preferred one of those offered, otherwise
 * the first one.
 * @param offered primary subtags, such as `en`
 */
export function acceptedLanguage<const L extends string>(header: string | undefined, offered: readonly [L, ...L[]]): L {
  const headers = { "accept-language": (header ?? "").slice(0, headerLengthMax) };
  const preferred = new Negotiator({ headers }).language(offered);
  return offered.find((language) => language === preferred) ?? offered[0];
}

/**
 * The language tags that an Accept-Language header requests, the preferred one first. Tags that are excluded by `q=0`
 * are left out.
 */
export function acceptedLanguages(header: string | undefined): string[] {
  return new Negotiator({ headers: { "accept-language": (header ?? "").slice(0, headerLengthMax) } }).languages();
}
