/** An email address that a person who knows it recognizes, but nobody else can use: `a***@people.example`. */
export function emailHint(address: string): string {
  const at = address.lastIndexOf("@");
  if (at < 1) return "***";
  // The quotation mark of a quoted local part is not part of the owner's name.
  const [first = ""] = address.startsWith('"') ? address.slice(1) : address;
  return `${first}***${address.slice(at)}`;
}

/** The last characters of a provider's token: `…9f3a`. */
export function tokenHint(token: string): string {
  return `…${token.slice(-4)}`;
}
