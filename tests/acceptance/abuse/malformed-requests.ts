const host = "Host: gateway";
const noop = "POST /api/v1/noop HTTP/1.1";
const json = "Content-Type: application/json";
const money = '{"money":{"currency":"EUR","minor":1}}';

const lines = (...parts: string[]): string => `${parts.join("\r\n")}\r\n\r\n`;
const upload = `PUT /api/v1/file-uploads/${"0".repeat(64)} HTTP/1.1`;
const octets = "Content-Type: application/octet-stream";
const chunk = (text: string): string => `${text.length.toString(16)}\r\n${text}\r\n`;

/**
 * Creates a request that a proxy could read as part of another request. Its Idempotency-Key is known, so the test can find out whether it was executed.
 */
export function smuggledNoop(key: string): string {
  return `${lines(noop, host, json, `Idempotency-Key: ${key}`, `Content-Length: ${money.length}`)}${money}`;
}

/**
 * Creates malformed requests and requests that two HTTP parsers may read differently, by the name of the attack (CWE-444; RFC 9112, 11.2). `hidden` is the
 * request that the attack tries to smuggle past the first parser.
 */
export function malformedRequests(hidden: string): Readonly<Record<string, string>> {
  const chunked = `0\r\n\r\n${hidden}`;
  return {
    "two Host headers": lines("GET /api/v1/health HTTP/1.1", host, "Host: evil") + hidden,
    "no Host header": lines("GET /api/v1/health HTTP/1.1", "Accept: */*") + hidden,
    "a target in absolute form": lines("GET http://gateway/api/v1/health HTTP/1.1", host) + hidden,
    "a target in absolute form of another host": lines("GET http://evil/api/v1/health HTTP/1.1", host) + hidden,
    "a target in authority form": lines("CONNECT gateway:80 HTTP/1.1", host) + hidden,
    "a target in asterisk form": lines("OPTIONS * HTTP/1.1", host) + hidden,
    "Transfer-Encoding beside Content-Length":
      lines(noop, host, json, "Content-Length: 4", "Transfer-Encoding: chunked") + chunked,
    "Content-Length behind Transfer-Encoding":
      lines(noop, host, "Transfer-Encoding: chunked", "Content-Length: 4") + chunked,
    "two different Content-Lengths":
      lines(noop, host, json, "Content-Length: 0", `Content-Length: ${hidden.length}`) + hidden,
    "the same Content-Length twice": lines(noop, host, json, "Content-Length: 0", "Content-Length: 0") + hidden,
    "a list of Content-Lengths": lines(noop, host, json, "Content-Length: 0, 0") + hidden,
    "Content-Length with a sign": lines(noop, host, json, "Content-Length: +0") + hidden,
    "a negative Content-Length": lines(noop, host, json, "Content-Length: -1") + hidden,
    "a hexadecimal Content-Length": lines(noop, host, json, "Content-Length: 0x0") + hidden,
    "a Content-Length beyond 64 bits": lines(noop, host, json, "Content-Length: 18446744073709551616") + hidden,
    "Transfer-Encoding folded over two lines": lines(noop, host, "Transfer-Encoding:\r\n chunked") + chunked,
    "Transfer-Encoding with a space before the colon":
      lines(noop, host, "Transfer-Encoding : chunked", "Content-Length: 0") + chunked,
    "Transfer-Encoding with a vertical tab": lines(noop, host, "Transfer-Encoding: \x0bchunked") + chunked,
    "Transfer-Encoding xchunked": lines(noop, host, "Transfer-Encoding: xchunked") + chunked,
    "Transfer-Encoding chunked twice": lines(noop, host, "Transfer-Encoding: chunked, chunked") + chunked,
    "Transfer-Encoding chunked before gzip": lines(noop, host, "Transfer-Encoding: chunked, gzip") + chunked,
    "two Transfer-Encoding headers":
      lines(noop, host, "Transfer-Encoding: chunked", "Transfer-Encoding: identity") + chunked,
    "Transfer-Encoding in HTTP/1.0": lines("POST /api/v1/noop HTTP/1.0", host, "Transfer-Encoding: chunked") + chunked,
    "Transfer-Encoding in HTTP/1.0 to a page":
      lines("POST /api/v1/identity-migration/confirm HTTP/1.0", host, "Transfer-Encoding: chunked") + chunked,
    "two Host headers to a page": lines("GET /api/v1/identity-migration/sign-in HTTP/1.1", host, "Host: evil") + hidden,
    "two Host headers to the reference page": lines("GET /docs HTTP/1.1", host, "Host: evil") + hidden,
    "Transfer-Encoding beside Content-Length to an upload, which is handed on":
      lines(upload, host, octets, "Content-Length: 4", "Transfer-Encoding: chunked") + chunked,
    "two different Content-Lengths to an upload":
      lines(upload, host, octets, "Content-Length: 0", `Content-Length: ${hidden.length}`) + hidden,
    "Transfer-Encoding xchunked to an upload": lines(upload, host, octets, "Transfer-Encoding: xchunked") + chunked,
    "a header folded over two lines": lines("GET /api/v1/health HTTP/1.1", host, "X-A: a\r\n b") + hidden,
    "Content-Length folded over two lines": lines(noop, host, json, "Content-Length:\r\n 0") + hidden,
    "bare line feeds": `${noop}\n${host}\nContent-Length: 0\n\n${hidden}`,
    "a bare line feed inside a header": lines("GET /api/v1/health HTTP/1.1", `${host}\nContent-Length: 0`) + hidden,
    "a bare carriage return inside a header":
      lines("GET /api/v1/health HTTP/1.1", `${host}\rContent-Length: 0`) + hidden,
    "NUL in the target": lines("GET /api/v1/health\0 HTTP/1.1", host) + hidden,
    "NUL in a header's name": lines("GET /api/v1/health HTTP/1.1", host, "X\0A: a") + hidden,
    "NUL in a header": lines("GET /api/v1/health HTTP/1.1", host, "X-A: a\0b") + hidden,
    "a space before the first header": `GET /api/v1/health HTTP/1.1\r\n ${host}\r\n\r\n${hidden}`,
    "a header without a name": lines("GET /api/v1/health HTTP/1.1", host, ": value") + hidden,
    "a header without a colon": lines("GET /api/v1/health HTTP/1.1", host, "nonsense") + hidden,
    "a chunk size beyond 64 bits": `${lines(noop, host, json, "Transfer-Encoding: chunked")}fffffffffffffffff\r\n${hidden}`,
    "a negative chunk size": `${lines(noop, host, json, "Transfer-Encoding: chunked")}-1\r\n${hidden}`,
    "a chunk size in 0x": `${lines(noop, host, json, "Transfer-Encoding: chunked")}0x0\r\n\r\n${hidden}`,
    "a chunk without its line end": `${lines(noop, host, json, "Transfer-Encoding: chunked")}2\r\n{}0\r\n\r\n${hidden}`,
    "a chunk size ended by a line feed": `${lines(noop, host, json, "Transfer-Encoding: chunked")}0\n\n${hidden}`,
    "a chunk ended by a line feed": `${lines(noop, host, json, "Transfer-Encoding: chunked")}2\r\n{}\n0\r\n\r\n${hidden}`,
    "a chunk size ended by two carriage returns": `${lines(noop, host, json, "Transfer-Encoding: chunked")}0\r\r\n\r\n${hidden}`,
    "a chunk extension with a bare line feed": `${lines(noop, host, json, "Transfer-Encoding: chunked")}2;a\nb\r\n{}\r\n0\r\n\r\n${hidden}`,
    "a chunk extension of 20,000 characters": `${lines(noop, host, json, "Transfer-Encoding: chunked")}2;${"x".repeat(20_000)}\r\n{}\r\n0\r\n\r\n${hidden}`,
    "Content-Length in a trailer": `${lines(noop, host, json, "Transfer-Encoding: chunked")}2\r\n{}\r\n0\r\nContent-Length: 5\r\n\r\n${hidden}`,
    "a header of 9 KiB": lines("GET /api/v1/health HTTP/1.1", host, `X-A: ${"a".repeat(9 * 1024)}`) + hidden,
    "headers of 9 KiB together":
      lines("GET /api/v1/health HTTP/1.1", host, ...Array<string>(200).fill(`X-A: ${"a".repeat(40)}`)) + hidden,
    "a target of 9 KiB": lines(`GET /api/v1/health?${"a".repeat(9 * 1024)} HTTP/1.1`, host) + hidden,
    "an unknown method": lines("FOO /api/v1/health HTTP/1.1", host) + hidden,
    "a method in lower case": lines("get /api/v1/health HTTP/1.1", host) + hidden,
    "no version": `GET /api/v1/health\r\n\r\n${hidden}`,
    "version 0.9": lines("GET /api/v1/health HTTP/0.9", host) + hidden,
    "version 2.0": lines("GET /api/v1/health HTTP/2.0", host) + hidden,
    "version 1.2": lines("GET /api/v1/health HTTP/1.2", host) + hidden,
    "the preface of HTTP/2": `PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n${hidden}`,
    "a space in the target": lines("GET /api/v1/health HTTP/1.1 HTTP/1.1", host) + hidden,
    "a tab in the request line": lines("GET\t/api/v1/health HTTP/1.1", host) + hidden,
    "bytes of a TLS handshake": `\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03${hidden}`,
    nonsense: `${"\xff".repeat(64)}\r\n\r\n${hidden}`,
  };
}

/** Creates valid requests that ask for unsupported features. They get one response, like any other request. */
export function oddRequests(): Readonly<
  Record<string, { readonly bytes: string; readonly statuses: readonly number[] }>
> {
  const get = (target: string, ...headers: string[]) => lines(`GET ${target} HTTP/1.1`, host, ...headers);
  return {
    "an upgrade to h2c": {
      bytes: get("/api/v1/health", "Connection: Upgrade, HTTP2-Settings", "Upgrade: h2c", "HTTP2-Settings: AAMAAABk"),
      statuses: [200],
    },
    "an upgrade to websocket": {
      bytes: get("/api/v1/health", "Connection: Upgrade", "Upgrade: websocket"),
      statuses: [200],
    },
    "an expectation nobody knows": { bytes: get("/api/v1/health", "Expect: miracles"), statuses: [422] },
    "two spaces in the request line": { bytes: lines("GET  /api/v1/health HTTP/1.1", host), statuses: [200] },
    TRACE: { bytes: lines("TRACE /api/v1/health HTTP/1.1", host), statuses: [405] },
    "a path with a double slash": { bytes: get("//api/v1/health"), statuses: [404] },
    "a path that climbs": { bytes: get("/api/v1/noop/../health"), statuses: [404] },
    "a path that climbs in percent encoding": { bytes: get("/api/v1/noop/%2e%2e/health"), statuses: [404] },
    "a path with a backslash": { bytes: get("/api/v1\\health"), statuses: [404] },
    "a path with a trailing slash": { bytes: get("/api/v1/health/"), statuses: [404] },
    "a path with a parameter": { bytes: get("/api/v1/health;a=b"), statuses: [404] },
    "a path with broken percent encoding": { bytes: get("/api/v1/file-objects/%zz/complete"), statuses: [404, 405] },
    "a page's path that climbs to another service's": {
      bytes: get("/api/v1/public-assets/../../livez"),
      statuses: [404],
    },
    "a page's path that climbs in percent encoding": {
      bytes: get("/api/v1/public-assets/%2e%2e/%2e%2e/livez"),
      statuses: [404],
    },
    "a hundred headers": {
      bytes: get("/api/v1/health", ...Array.from({ length: 100 }, (_, n) => `X-${n}: 1`)),
      statuses: [413],
    },
    "a body on GET": { bytes: `${get("/api/v1/health", "Content-Length: 2")}{}`, statuses: [200] },
    "a Connection header that names others": {
      bytes: get("/api/v1/health", "Connection: Content-Length, X-Correlation-ID, Authorization"),
      statuses: [200],
    },
    "a trailer with a credential": {
      bytes: `${lines(noop, host, json, "Idempotency-Key: trailer", "Trailer: Authorization", "Transfer-Encoding: chunked")}${chunk(money)}0\r\nAuthorization: Bearer x\r\n\r\n`,
      statuses: [202],
    },
    "a body in chunks with extensions": {
      bytes: `${lines(noop, host, json, `Idempotency-Key: chunks`, "Transfer-Encoding: chunked")}${chunk(money).replace("\r\n", ";a=b\r\n")}0\r\n\r\n`,
      statuses: [202],
    },
  };
}
