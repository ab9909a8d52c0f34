import type { IncomingMessage } from "node:http";
import type { GatewayConfig } from "../config.ts";

/** What a relay process must know; no secret is among it. */
export type RelaySettings = {
  readonly pages: GatewayConfig["pages"];
  readonly publicBaseUrl: string;
  readonly trustedProxies: readonly string[];
  readonly logLevel: string;
};

/** What the gateway tells a relay process. A `serve` comes with the connection. */
export type ToRelay =
  | { readonly kind: "start"; readonly settings: RelaySettings }
  /** `received`: the request from its first byte on, as far as it has been taken from the connection. */
  | { readonly kind: "serve"; readonly received: Uint8Array }
  /** Finish what is running, then exit. */
  | { readonly kind: "drain" };

/** What a relay process tells the gateway. */
export type FromRelay =
  | { readonly kind: "ready" }
  /** It has the connection of the last `serve`. */
  | { readonly kind: "took" }
  /** A connection it had is closed. */
  | { readonly kind: "ended" }
  /** Arguments of one observation in the gateway's request histogram, which only the gateway keeps. */
  | { readonly kind: "observed"; readonly observation: readonly unknown[] };

/**
 * A request written out again as it came: its head from what the parser read, header by header and nothing dropped, then what has been
 * taken of its body. Only for a body of declared length, whose bytes are the same on the wire and behind the parser.
 */
export function requestBytes(request: IncomingMessage, body: readonly Buffer[]): Buffer {
  const { rawHeaders } = request;
  let head = `${request.method} ${request.url} HTTP/${request.httpVersion}\r\n`;
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    head += `${rawHeaders[index]}: ${rawHeaders[index + 1]}\r\n`;
  }
  return Buffer.concat([Buffer.from(`${head}\r\n`, "latin1"), ...body]);
}
