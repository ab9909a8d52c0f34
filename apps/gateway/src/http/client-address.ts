import { BlockList, isIP, isIPv6 } from "node:net";

/** What says where a request came from. */
export type Arrival = {
  readonly headers: { readonly [name: string]: string | string[] | undefined };
  readonly socket: { readonly remoteAddress?: string | undefined };
};

/** Finds the address a request came from. X-Forwarded-For is believed only as far as trusted proxies wrote it. */
export function createClientAddress(trustedProxies: readonly string[]): (request: Arrival) => string {
  const trusted = new BlockList();
  for (const entry of trustedProxies) {
    const [address = "", prefix] = entry.split("/", 2);
    const family = isIPv6(address) ? "ipv6" : "ipv4";
    if (isIP(address) === 0)
      throw new Error(`bad configuration\n  TRUSTED_PROXIES: ${entry} is no address or CIDR range`);
    if (prefix === undefined) trusted.addAddress(address, family);
    else trusted.addSubnet(address, Number(prefix), family);
  }
  const isTrusted = (address: string): boolean =>
    isIP(address) !== 0 && trusted.check(address, isIPv6(address) ? "ipv6" : "ipv4");

  return (request) => {
    const peer = (request.socket.remoteAddress ?? "").replace(/^::ffff:/, "");
    if (trustedProxies.length === 0 || !isTrusted(peer)) return peer;
    const hops = String(request.headers["x-forwarded-for"] ?? "")
      .split(",")
      .map((hop) => hop.trim());
    // The nearest hop that is no proxy of ours is the client; what stands before it, the client may have written itself.
    for (const hop of hops.reverse()) if (isIP(hop) !== 0 && !isTrusted(hop)) return hop;
    return peer;
  };
}
