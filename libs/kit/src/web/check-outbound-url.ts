import { isIP } from "node:net";
import {
  checkAddress,
  type OutboundPolicy,
  type OutboundRefusalReason,
  OutboundRefused,
  type OutboundTarget,
} from "./outbound-policy.ts";

/**
 * Returns the IP address in a URL's host; null for a name. The WHATWG parser has already converted 0x7f000001, 127.1
 * and 2130706433 to 127.0.0.1.
 */
export function literalAddress(hostname: string): string | null {
  const bare = hostname.replace(/^\[|\]$/g, "");
  return isIP(bare) === 0 ? null : bare;
}

export function targetOf(protocol: string, port: string | null): OutboundTarget {
  const fallback = protocol === "https:" ? 443 : 80;
  return { protocol, port: port === null || port === "" ? fallback : Number(port) };
}

/** The address that is checked in place of a loopback name. */
export const loopbackAddress = "127.0.0.1";

/**
 * Returns whether the name of a URL's host is always loopback: `localhost` or a name below it, with or without a final
 * dot (RFC 6761 §6.3). No resolver is queried.
 */
export function isLoopbackName(hostname: string): boolean {
  return /(?:^|\.)localhost\.?$/i.test(hostname);
}

/**
 * Checks a caller's URL when it is registered, without resolving names. A resolved name would let callers discover
 * internal names, and every call is checked again when it connects.
 * @throws OutboundRefused
 */
export function checkOutboundUrl(url: string, policy: OutboundPolicy): void {
  const parsed = URL.parse(url);
  if (parsed === null || parsed.hostname === "") throw new OutboundRefused("url_malformed");
  if (parsed.protocol !== "https:" && parsed.protocol !== "http:") throw new OutboundRefused("scheme_not_allowed");
  if (parsed.username !== "" || parsed.password !== "") throw new OutboundRefused("credentials_in_url");
  const target = targetOf(parsed.protocol, parsed.port);
  const address = isLoopbackName(parsed.hostname) ? loopbackAddress : literalAddress(parsed.hostname);
  const reason = address === null ? checkName(target, policy) : checkAddress(address, target, policy);
  if (reason !== null) throw new OutboundRefused(reason);
}

/**
 * Checks a name. It must meet the rules for public addresses, unless the operator allows some addresses, because the
 * name may resolve to one of them.
 */
function checkName({ protocol, port }: OutboundTarget, policy: OutboundPolicy): OutboundRefusalReason | null {
  if (policy.allow.length > 0) return null;
  if (protocol !== "https:") return "scheme_not_allowed";
  return policy.ports !== null && !policy.ports.includes(port) ? "port_not_allowed" : null;
}
