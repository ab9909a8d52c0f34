/**
 * The value of a cookie in a Cookie header (RFC 6265 §4.2), undecoded; null without one, or with two of the name, because one of them is somebody
 * else's: another host of the domain can set one that the browser sends first. Parsers return the first of them and do not tell.
 */
export function readCookie(header: string | undefined, name: string): string | null {
  const [value, second] = (header ?? "")
    .split(";")
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${name}=`))
    .map((pair) => pair.slice(name.length + 1));
  return second === undefined ? (value ?? null) : null;
}
