import Negotiator from "negotiator";

/** More of a header is not read. */
const headerLengthMax = 200;

/**
 * The language for an Accept-Language header (RFC 9110 §12.5.4): of those offered the one that is preferred, else the first offered.
 * @param offered primary subtags, such as `en`
 */
export function acceptedLanguage<const L extends string>(header: string | undefined, offered: readonly [L, ...L[]]): L {
  const headers = { "accept-language": (header ?? "").slice(0, headerLengthMax) };
  const preferred = new Negotiator({ headers }).language(offered);
  return offered.find((language) => language === preferred) ?? offered[0];
}

/** The language tags that an Accept-Language header asks for, the preferred one first. Those refused by `q=0` are not among them. */
export function acceptedLanguages(header: string | undefined): string[] {
  return new Negotiator({ headers: { "accept-language": (header ?? "").slice(0, headerLengthMax) } }).languages();
}
