import { domainToASCII, domainToUnicode } from "node:url";

/** Characters that the URL parser behind `domainToASCII` would misread in a domain. */
const urlSyntax = /[\s/\\?#@:%[\]]/;

const letters = String.raw`\p{L}\p{M}\p{N}`;
const atom = String.raw`[a-z0-9!#$%&'*+/=?^_\x60{|}~${letters}-]+`;
const dotAtom = String.raw`${atom}(?:\.${atom})*`;
// Angle brackets are excluded, because they delimit the address in every envelope and header, and the mail library
// removes them from an address.
const quoted = String.raw`"(?:[\x20!\x23-;=?-\x5b\x5d-~${letters}]|\\[\x20-;=?-~])*"`;
const label = `[a-z0-9${letters}](?:[a-z0-9${letters}-]*[a-z0-9${letters}])?`;
const isDotAtom = new RegExp(`^${dotAtom}$`, "iu");
const isQuoted = new RegExp(`^${quoted}$`, "iu");
const isMailbox = new RegExp(`^(?:${dotAtom}|${quoted})@${label}(?:\\.${label})*$`, "iu");

/**
 * Returns whether `text` is a single address (RFC 5321 §4.1.2, with the letters of RFC 6531). The local part is a
 * dot-atom or a quoted string; address literals are rejected.
 * @param labelsMin minimum number of labels of the domain; an address outside of this host needs two
 */
export function isEmailAddress(text: string, labelsMin = 2): boolean {
  if (text.length > 640 || !isMailbox.test(text)) return false;
  return text.slice(text.lastIndexOf("@")).split(".").length >= labelsMin;
}

/**
 * Returns the form in which addresses are stored and compared, so that one mailbox is one address regardless of its
 * spelling: trimmed, NFC, lower case, the local part quoted only if necessary (RFC 5321 §4.1.2), and the domain in its
 * ASCII form (UTS 46). A domain that is not a valid name stays unchanged.
 */
export function normalizeEmail(address: string): string {
  const lower = address.trim().normalize("NFC").toLowerCase();
  const at = lower.lastIndexOf("@");
  if (at < 0) return lower;
  return `${normalizeLocalPart(lower.slice(0, at))}@${domainInAscii(lower.slice(at + 1))}`;
}

/**
 * Removes unnecessary quoting from a quoted local part: `"ann"` becomes `ann`, and `"a\b"` becomes `"ab"`. Other local
 * parts stay unchanged.
 */
function normalizeLocalPart(local: string): string {
  if (!isQuoted.test(local)) return local;
  const text = local.slice(1, -1).replace(/\\(.)/gu, "$1");
  return isDotAtom.test(text) ? text : `"${text.replace(/["\\]/g, "\\$&")}"`;
}

/** Returns a domain in its ASCII form (A-labels). A text that is not a domain name stays unchanged. */
export function domainInAscii(domain: string): string {
  return /^\p{ASCII}*$/u.test(domain) || urlSyntax.test(domain) ? domain : domainToASCII(domain) || domain;
}

/**
 * Returns the forms in which a normalized address may be stored, its own form first. Older records contain the domain
 * in Unicode.
 */
export function storedEmailForms(normalized: string): string[] {
  const at = normalized.lastIndexOf("@");
  const domain = normalized.slice(at + 1);
  const unicode = domain.includes("xn--") && !urlSyntax.test(domain) ? domainToUnicode(domain) : domain;
  return unicode === "" || unicode === domain ? [normalized] : [normalized, `${normalized.slice(0, at)}@${unicode}`];
}
