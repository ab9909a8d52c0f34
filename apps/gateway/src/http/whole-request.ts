/** A request read from its bytes without a parser of HTTP: only one that is plain in every way becomes this. */
export type WholeRequest = {
  readonly method: string;
  /** The request's target as it stands: path and query. */
  readonly url: string;
  /** By lower-case name; no name comes twice. */
  readonly headers: Readonly<Record<string, string>>;
  /** Names and values in turn, as they stand: what Node calls rawHeaders. */
  readonly rawHeaders: readonly string[];
};

/** Larger than what is sent again and again under overload, and small enough to be looked through at once. */
const bytesMax = 4_096;
const headersMax = 64;

const head =
  /(GET|POST|PUT|PATCH|DELETE) (\/[!-~]*) HTTP\/1\.1\r\n((?:[!#$%&'*+\-.^_`|~0-9A-Za-z]+: [ -~]+\r\n)+)\r\n/y;
const length = /^(?:0|[1-9][0-9]{0,3})$/;

/** Headers that change where a request ends, or what becomes of its connection. */
const changing = new Set(["transfer-encoding", "trailer", "te", "upgrade", "expect", "connection", "keep-alive"]);

/**
 * Reads a chunk that is one whole request and nothing else, or gives null. Whoever reads requests beside Node's parser must never see a
 * request's end elsewhere than it does (request smuggling, CWE-444). So whatever could be read in two ways is null: lines that end in LF,
 * folded or empty or padded values, bytes beyond ASCII, a name that comes twice, no Host, another version, a length that is not plain
 * digits, bodies without a length, and headers that say something about the connection, but for `Connection: keep-alive`.
 */
export function readWholeRequest(chunk: Buffer): WholeRequest | null {
  if (chunk.length > bytesMax) return null;
  const text = chunk.toString("latin1");
  head.lastIndex = 0;
  const found = head.exec(text);
  if (found === null) return null;
  const [whole, method = "", url = "", lines = ""] = found;
  const headers: Record<string, string> = Object.create(null);
  const rawHeaders: string[] = [];
  for (let at = 0; at < lines.length; ) {
    const colon = lines.indexOf(": ", at);
    const end = lines.indexOf("\r\n", colon);
    const rawName = lines.slice(at, colon);
    const value = lines.slice(colon + 2, end);
    const name = rawName.toLowerCase();
    at = end + 2;
    if (headers[name] !== undefined || value.startsWith(" ") || value.endsWith(" ")) return null;
    if (changing.has(name) && !(name === "connection" && value.toLowerCase() === "keep-alive")) return null;
    headers[name] = value;
    rawHeaders.push(rawName, value);
  }
  const { host, "content-length": declared = "0" } = headers;
  if (host === undefined || rawHeaders.length > 2 * headersMax || !length.test(declared)) return null;
  return whole.length + Number(declared) === chunk.length ? { method, url, headers, rawHeaders } : null;
}
