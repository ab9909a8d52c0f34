/** Masks an email address so that only a person who knows it recognizes it: `a***@people.example`. */
export function emailHint(address: string): string {
  const at = address.lastIndexOf("@");
  if (at < 1) return "***";
  // The opening quotation mark of a quoted local part is skipped, so that the hint shows the first character of the
  // name.
  const [first = ""] = address.startsWith('"') ? address.slice(1) : address;
  return `${first}***${address.slice(at)}`;
}

/** Masks a provider's token except its last characters: `…9f3a`. */
export function tokenHint(token: string): string {
  return `…${token.slice(-4)}`;
}
