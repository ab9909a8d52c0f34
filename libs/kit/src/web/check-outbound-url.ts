import { isIP } from "node:net";
import {
  judgeAddress,
  type OutboundPolicy,
  type OutboundRefusalReason,
  OutboundRefused,
  type OutboundTarget,
} from "./outbound-policy.ts";

/** The literal address in a URL's host, or null for a name. The WHATWG parser has already turned 0x7f000001, 127.1 and 2130706433 into 127.0.0.1. */
export function literalAddress(hostname: string): string | null {
  const bare = hostname.replace(/^\[|\]$/g, "");
  return isIP(bare) === 0 ? null : bare;
}

export function targetOf(protocol: string, port: string | null): OutboundTarget {
  const fallback = protocol === "https:" ? 443 : 80;
  return { protocol, port: port === null || port === "" ? fallback : Number(port) };
}

/** The address that stands for a loopback name. */
export const loopbackAddress = "127.0.0.1";

/**
 * Returns whether the host of a URL is loopback by its name: `localhost` or a name below it, also with a final dot (RFC
 * 6761 §6.3). Resolvers are not queried.
 */
export function isLoopbackName(hostname: string): boolean {
  return /(?:^|\.)localhost\.?$/i.test(hostname);
}

/**
 * Checks a caller's URL at registration, without resolving names: a response would reveal internal names, and every call is checked again when
 * it connects.
 * @throws OutboundRefused
 */
export function checkOutboundUrl(url: string, policy: OutboundPolicy): void {
  const parsed = URL.parse(url);
  if (parsed === null || parsed.hostname === "") throw new OutboundRefused("url_malformed");
  if (parsed.protocol !== "https:" && parsed.protocol !== "http:") throw new OutboundRefused("scheme_not_allowed");
  if (parsed.username !== "" || parsed.password !== "") throw new OutboundRefused("credentials_in_url");
  const target = targetOf(parsed.protocol, parsed.port);
  const address = isLoopbackName(parsed.hostname) ? loopbackAddress : literalAddress(parsed.hostname);
  const reason = address === null ? judgeName(target, policy) : judgeAddress(address, target, policy);
  if (reason !== null) throw new OutboundRefused(reason);
}

/** A name gets the rules of public addresses, unless the operator allows addresses, to which the name may resolve. */
function judgeName({ protocol, port }: OutboundTarget, policy: OutboundPolicy): OutboundRefusalReason | null {
  if (policy.allow.length > 0) return null;
  if (protocol !== "https:") return "scheme_not_allowed";
  return policy.ports !== null && !policy.ports.includes(port) ? "port_not_allowed" : null;
}
