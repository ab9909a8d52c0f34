/** The form in which addresses are compared and stored as Login Identifiers: trimmed, NFC, lower case. */
export function normalizeEmail(address: string): string {
  return address.trim().normalize("NFC").toLowerCase();
}

/** Has it the rough form of an address, so that a mail to it can be tried? The mailed proof decides the rest. */
export function looksLikeEmail(address: string): boolean {
  return address.length <= 255 && /^[^\s@\p{Cc}]+@[^\s@\p{Cc}]+\.[^\s@\p{Cc}]+$/u.test(address);
}
