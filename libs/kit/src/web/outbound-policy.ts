import ipaddr from "ipaddr.js";

/** Policy for the targets of calls to URLs that callers choose. */
export type OutboundPolicy = {
  /** True if loopback addresses are allowed, also over http. This is for clients of development and sandbox. */
  readonly allowLoopback: boolean;
  /**
   * Addresses and CIDR blocks that the operator allows in any environment, over http and on any port
   * (`OUTBOUND_ALLOW`).
   */
  readonly allow: readonly string[];
  /** Ports that calls may use; null for any port. */
  readonly ports: readonly number[] | null;
};

/** Why a call was refused. Callers and operators see the reason. */
export type OutboundRefusalReason =
  | "url_malformed"
  | "scheme_not_allowed"
  | "credentials_in_url"
  | "port_not_allowed"
  | "address_not_allowed";

/**
 * Thrown instead of connecting. The message does not contain the address, so that callers cannot scan the platform's
 * network.
 */
export class OutboundRefused extends Error {
  readonly code = "OUTBOUND_REFUSED";
  readonly reason: OutboundRefusalReason;

  constructor(reason: OutboundRefusalReason) {
    super(`outgoing call refused: ${reason}`);
    this.name = "OutboundRefused";
    this.reason = reason;
  }
}

/** Ports that clients may call outside development and sandbox. */
export const productionPorts: readonly number[] = [443, 8443];

/**
 * Returns the policy for a Project Client's environment. Loopback and any port are allowed in development and sandbox
 * only.
 */
export function outboundPolicyOf(environment: string, allow: readonly string[]): OutboundPolicy {
  const isLocal = environment === "development" || environment === "sandbox";
  return { allowLoopback: isLocal, allow, ports: isLocal ? null : productionPorts };
}

/**
 * Special-purpose blocks (IANA registries of RFC 6890 and RFC 8190) that no call may reach: private, shared, link-local
 * with the cloud metadata services, documentation, benchmarking, multicast and reserved. The list also has the IPv6
 * forms that embed an IPv4 address (mapped, NAT64, Teredo, 6to4), because a check of the outer address would not see a
 * private address inside.
 */
const deniedBlocks = [
  "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24", "192.0.2.0/24",
  "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4",
  "::/96", "::ffff:0:0/96", "::ffff:0:0:0/96", "64:ff9b::/96", "64:ff9b:1::/48", "100::/64", "2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20",
  "5f00::/16", "fc00::/7", "fe80::/10", "fec0::/10", "ff00::/8",
].map((block) => ipaddr.parseCIDR(block)); // biome-ignore format: a list

const loopbackBlocks = ["127.0.0.0/8", "::1/128"].map((block) => ipaddr.parseCIDR(block));

type Block = [ipaddr.IPv4 | ipaddr.IPv6, number];

function liesIn(address: ipaddr.IPv4 | ipaddr.IPv6, blocks: readonly Block[]): boolean {
  return blocks.some(([network, bits]) => network.kind() === address.kind() && address.match(network, bits));
}

function parseAllowed(entry: string): Block {
  if (entry.includes("/")) return ipaddr.parseCIDR(entry);
  const address = ipaddr.parse(entry);
  return [address, address.kind() === "ipv4" ? 32 : 128];
}

/** Splits OUTBOUND_ALLOW into addresses and CIDR blocks, which are separated by commas. Throws for any other entry. */
export function parseOutboundAllow(text: string): readonly string[] {
  const entries = text.split(",").map((entry) => entry.trim());
  const named = entries.filter((entry) => entry !== "");
  for (const entry of named) parseAllowed(entry);
  return named;
}

/** The parts of a URL that the policy checks. */
export type OutboundTarget = { readonly protocol: string; readonly port: number };

/** Checks one address of a call. Returns null if the call is allowed, otherwise the reason. */
export function checkAddress(
  address: string,
  target: OutboundTarget,
  policy: OutboundPolicy,
): OutboundRefusalReason | null {
  const plain = address.replace(/%.*$/, "");
  if (!ipaddr.isValid(plain)) return "address_not_allowed";
  const parsed = ipaddr.parse(plain);
  if (liesIn(parsed, policy.allow.map(parseAllowed))) return null;
  const isLoopback = liesIn(parsed, loopbackBlocks);
  if (isLoopback ? !policy.allowLoopback : liesIn(parsed, deniedBlocks)) return "address_not_allowed";
  if (target.protocol !== "https:" && !isLoopback) return "scheme_not_allowed";
  if (policy.ports !== null && !policy.ports.includes(target.port)) return "port_not_allowed";
  return null;
}
