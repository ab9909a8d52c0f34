import { domainToASCII, domainToUnicode } from "node:url";

/** Characters that make the URL parser behind `domainToASCII` read a domain as something else. */
const urlSyntax = /[\s/\\?#@:%[\]]/;

/**
 * The form in which addresses are stored and compared: trimmed, NFC, lower case, and the domain in its ASCII form (UTS 46), so that one
 * mailbox is one address however its domain is spelled. What is no domain name stays as it is.
 */
export function normalizeEmail(address: string): string {
  const lower = address.trim().normalize("NFC").toLowerCase();
  const at = lower.lastIndexOf("@");
  const domain = lower.slice(at + 1);
  if (at < 0 || /^\p{ASCII}*$/u.test(domain) || urlSyntax.test(domain)) return lower;
  return `${lower.slice(0, at)}@${domainToASCII(domain) || domain}`;
}

/** The forms under which a normalized address may be stored, its own first. Older records hold the domain in Unicode. */
export function storedEmailForms(normalized: string): string[] {
  const at = normalized.lastIndexOf("@");
  const domain = normalized.slice(at + 1);
  const unicode = domain.includes("xn--") && !urlSyntax.test(domain) ? domainToUnicode(domain) : domain;
  return unicode === "" || unicode === domain ? [normalized] : [normalized, `${normalized.slice(0, at)}@${unicode}`];
}
