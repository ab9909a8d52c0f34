import { domainInAscii, isEmailAddress } from "./email-address.ts";

/** A person or sender in an email (RFC 5322 §3.4): a display name, which may be empty, and one address. */
export type Mailbox = { readonly name: string; readonly address: string };

/** Matches the last pair of angle brackets that contains an address; everything before it is the name. */
const nameAndAddress = /^(?<name>.*)<(?<address>[^<>]+)>$/su;
// biome-ignore lint/suspicious/noControlCharactersInRegex: a name with one of them could begin another header
const controls = /[\u0000-\u001f\u007f\u0085\u2028\u2029]/;

/**
 * Reads a sender as people write it: `a@b.example` or `Name <a@b.example>`. The name may contain anything except
 * control characters, with or without quotation marks, so `Acme: News <a@b.example>` is one sender and not a group. The
 * domain is returned in its ASCII form unless the local part already needs SMTPUTF8 (RFC 6531).
 * @returns null if the text is not a single mailbox
 */
export function readMailbox(text: string): Mailbox | null {
  const trimmed = text.trim();
  const { name = "", address = trimmed } = nameAndAddress.exec(trimmed)?.groups ?? {};
  if (controls.test(trimmed) || !isEmailAddress(address.trim(), 1)) return null;
  return { name: unquoted(name.trim()), address: transmittedAddress(address.trim()) };
}

/**
 * Returns the form in which an address is sent. If the local part is ASCII, the domain is converted to ASCII as well,
 * so that the mail server needs no extension.
 */
function transmittedAddress(address: string): string {
  const at = address.lastIndexOf("@");
  return needsSmtpUtf8(address) ? address : `${address.slice(0, at)}@${domainInAscii(address.slice(at + 1))}`;
}

/**
 * Returns whether an address requires SMTPUTF8 (RFC 6531). A domain has an ASCII form, but a local part with other
 * characters has none.
 */
export function needsSmtpUtf8(address: string): boolean {
  return /[^\p{ASCII}]/u.test(address.slice(0, Math.max(0, address.lastIndexOf("@"))));
}

/** Returns the text of a name that is written as one quoted string. Any other name is taken literally. */
function unquoted(name: string): string {
  const text = /^"((?:[^"\\]|\\.)*)"$/su.exec(name)?.[1];
  return text === undefined ? name : text.replace(/\\(.)/gsu, "$1");
}
