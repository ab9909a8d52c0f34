import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { isIP } from "node:net";
import type { Violation } from "@platform/contracts/violations";
import { isUuid } from "@platform/kit/process/secrets";
import ipaddr from "ipaddr.js";
import { LRUCache } from "lru-cache";

const fault = (path: Violation["path"], message: string): Violation => ({ path, code: "invalid_format", message });

/**
 * The fault in a request's framing, or null. Node accepts these, and two parsers may read them differently (request smuggling, CWE-444): two Host
 * headers or none, targets in absolute form, Transfer-Encoding in HTTP/1.0 or alongside Content-Length, unknown expectations, and versions other
 * than HTTP/1.0 and 1.1. Only HTTP/1.1 requires a Host (RFC 9112, 3.2): the health checks of many load balancers send HTTP/1.0 without one.
 */
export function requestLineFault(request: IncomingMessage): Violation | null {
  const { headers, httpVersion, rawHeaders, url = "" } = request;
  if (httpVersion !== "1.1" && httpVersion !== "1.0") return fault("/", "must be HTTP/1.1");
  if (!url.startsWith("/")) return fault("/", "must have a path as its target");
  let hosts = 0;
  let lengths = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]?.toLowerCase();
    if (name === "host") hosts += 1;
    else if (name === "content-length") lengths += 1;
  }
  if (hosts > 1 || (hosts === 0 && httpVersion === "1.1")) return fault("header:Host", "must be sent exactly once");
  if (lengths > 1) return fault("header:Content-Length", "must be sent at most once");
  const { "transfer-encoding": encoding, expect } = headers;
  if (encoding !== undefined) {
    if (httpVersion === "1.0") return fault("header:Transfer-Encoding", "must not be sent with HTTP/1.0");
    if (lengths > 0) return fault("header:Transfer-Encoding", "must not be sent beside Content-Length");
    if (encoding.toLowerCase() !== "chunked") return fault("header:Transfer-Encoding", "must be chunked");
  }
  if (expect !== undefined && expect.toLowerCase() !== "100-continue") {
    return fault("header:Expect", "must be 100-continue");
  }
  return null;
}

/** The correlation id of a request: its X-Correlation-ID when that is a UUID, else a new one. */
export function correlationIdOf(request: Pick<IncomingMessage, "headers">): {
  correlationId: string;
  isMalformed: boolean;
} {
  const header = request.headers["x-correlation-id"];
  const isGiven = typeof header === "string" && isUuid(header);
  return {
    correlationId: isGiven ? header.toLowerCase() : newCorrelationId(),
    isMalformed: header !== undefined && !isGiven,
  };
}

/**
 * A UUIDv7 (RFC 9562) whose random part is that of a UUIDv4, which Node draws from a pool: every request needs one, and drawing entropy
 * for each shows in profiles.
 */
export function newCorrelationId(nowMs: number = Date.now()): string {
  const time = nowMs.toString(16).padStart(12, "0");
  return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}`;
}

/** Peers whose addresses are kept read. */
const peersMax = 1_000;

/** Inputs that determine a request's source. */
type Arrival = {
  readonly headers: { readonly [name: string]: string | string[] | undefined };
  readonly socket: { readonly remoteAddress?: string | undefined };
};

/** Source of a request. */
export type ClientAddress = {
  readonly address: string;
  /** True if others share the address, so that one sender's requests must not count against all. */
  readonly isShared: boolean;
};

type Address = ipaddr.IPv4 | ipaddr.IPv6;

/**
 * Finds the address a request came from. X-Forwarded-For is believed only as far as trusted proxies wrote it: it is read from the right, past the
 * proxies, to the first other hop, and no further than an unreadable hop.
 * An untrusted peer that forwards is taken as the source itself. Without configured proxies, a forwarding peer in a private network is most likely an
 * unconfigured reverse proxy, so its address counts as shared.
 * @param trustedProxies addresses and CIDR ranges; null when nothing was configured
 * @param onUntrustedProxy called once, with the peer's address, when an untrusted peer sends X-Forwarded-For
 */
export function createClientAddress(
  trustedProxies: readonly string[] | null,
  onUntrustedProxy: (peer: string) => void = () => {},
): (request: Arrival) => ClientAddress {
  const ranges = (trustedProxies ?? []).map(readRange);
  const isTrusted = (address: Address): boolean =>
    ranges.some(([network, bits]) => network.kind() === address.kind() && address.match(network, bits));
  let hasWarned = false;
  // Cached, because a connection carries many requests.
  const peers = new LRUCache<string, Address | "unreadable">({ max: peersMax });
  const readPeer = (text: string): Address | null => {
    const known = peers.get(text);
    const peer = known ?? readHop(text) ?? "unreadable";
    if (known === undefined) peers.set(text, peer);
    return peer === "unreadable" ? null : peer;
  };

  return ({ headers, socket }) => {
    const peer = readPeer(socket.remoteAddress ?? "");
    if (peer === null) return { address: socket.remoteAddress ?? "", isShared: false };
    const forwarded = headers["x-forwarded-for"];
    if (!isTrusted(peer)) {
      if (forwarded === undefined) return { address: peer.toString(), isShared: false };
      if (!hasWarned) onUntrustedProxy(peer.toString());
      hasWarned = true;
      return { address: peer.toString(), isShared: trustedProxies === null && isOwn(peer) };
    }
    let nearest = peer;
    for (const text of String(forwarded ?? "")
      .split(",")
      .reverse()) {
      const hop = readHop(text);
      if (hop === null) break;
      nearest = hop;
      if (!isTrusted(hop)) return { address: hop.toString(), isShared: false };
    }
    return { address: nearest.toString(), isShared: true };
  };
}

const hopForm =
  /^\s*"?(?:\[([0-9a-f:.]+)\](?::\d{1,5})?|(\d+\.\d+\.\d+\.\d+)(?::\d{1,5})?|([0-9a-f:.]+))(?:%[\w.-]+)?"?\s*$/i;

/** Reads an address as proxies write it: bare, with a port, an IPv6 one in brackets; null for anything else (`unknown`, names, garbage). */
function readHop(text: string): Address | null {
  const found = hopForm.exec(text);
  const address = found?.[1] ?? found?.[2] ?? found?.[3] ?? "";
  // Only the usual notation of an address is accepted: ipaddr.js would also accept 127.1 and 0x7f000001.
  return isIP(address) === 0 ? null : ipaddr.process(address);
}

function readRange(entry: string): [Address, number] {
  const [address = "", bits] = entry.split("/", 2);
  const network = readHop(address);
  const most = network?.kind() === "ipv4" ? 32 : 128;
  const length = bits === undefined ? most : Number(bits);
  if (network === null || !Number.isInteger(length) || length < 0 || length > most || bits === "")
    throw new Error(`bad configuration\n  TRUSTED_PROXIES: ${entry} is no address or CIDR range`);
  return [network, length];
}

const ownRanges: ReadonlySet<string> = new Set(["loopback", "private", "linkLocal", "uniqueLocal", "carrierGradeNat"]);

/** Is it a loopback or private address? */
function isOwn(address: Address): boolean {
  return ownRanges.has(address.range());
}
