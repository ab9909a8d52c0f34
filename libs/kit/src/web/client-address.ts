import { isIP } from "node:net";
import ipaddr from "ipaddr.js";
import { LRUCache } from "lru-cache";

/** Number of peers whose parsed addresses are cached. */
const peersMax = 1_000;

/** The facts about a request that determine its source. */
type Arrival = {
  readonly headers: { readonly [name: string]: string | string[] | undefined };
  readonly socket: { readonly remoteAddress?: string | undefined };
};

/** The source of a request. */
export type ClientAddress = {
  readonly address: string;
  /**
   * True if several senders share the address, in which case the requests of one sender must not count against all of
   * them.
   */
  readonly isShared: boolean;
};

type Address = ipaddr.IPv4 | ipaddr.IPv6;

/**
 * Finds the address that a request came from. `proxy-addr`, and with it Express's `request.ip`, would accept ports,
 * `unknown` and garbage as a source (docs/decisions/0140-own-parsers.md). Only the part of X-Forwarded-For that trusted
 * proxies wrote is used. It is read from the right, past the trusted proxies, to the first other hop; hops before an
 * unreadable hop are ignored. If an untrusted peer forwards a request, the peer itself is the source. If no proxies are
 * configured, a private peer that forwards requests is probably a reverse proxy that was not configured, so its address
 * counts as shared.
 * @param trustedProxies addresses and CIDR ranges; null if nothing was configured
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
  // Parsed addresses are cached, because a connection carries many requests.
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

/**
 * Reads an address in the forms that proxies write: without a port, with a port, or an IPv6 address in brackets.
 * Returns null for anything else (`unknown`, names, garbage).
 */
function readHop(text: string): Address | null {
  const found = hopForm.exec(text);
  const address = found?.[1] ?? found?.[2] ?? found?.[3] ?? "";
  // Only the usual notation of an address is accepted. ipaddr.js would also accept 127.1 and 0x7f000001.
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

/** Returns whether the address is a loopback or private address. */
function isOwn(address: Address): boolean {
  return ownRanges.has(address.range());
}
