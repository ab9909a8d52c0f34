/** Checks the rough form of an address; the mailed code or link decides the rest. */
export function looksLikeEmail(address: string): boolean {
  return address.length <= 255 && /^[^\s@\p{Cc}]+@[^\s@\p{Cc}]+\.[^\s@\p{Cc}]+$/u.test(address);
}
