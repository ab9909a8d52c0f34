import Negotiator from "negotiator";

/**
 * The language for an Accept-Language header (RFC 9110 §12.5.4): of those offered the one that is preferred, else the first offered.
 * @param offered primary subtags, such as `en`
 */
export function acceptedLanguage<const L extends string>(header: string | undefined, offered: readonly [L, ...L[]]): L {
  const headers = { "accept-language": (header ?? "").slice(0, 200) };
  const preferred = new Negotiator({ headers }).language(offered);
  return offered.find((language) => language === preferred) ?? offered[0];
}
