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

/** The address a loopback name is judged as. */
export const loopbackAddress = "127.0.0.1";

/**
 * Is a URL's host loopback by its name: `localhost` or below it, also with the root's dot (RFC 6761 §6.3)? Then it is so whatever a
 * resolver says.
 */
export function isLoopbackName(hostname: string): boolean {
  return /(?:^|\.)localhost\.?$/i.test(hostname);
}

/**
 * Judges a URL a caller gave, when it is registered, by what it says alone. No name is resolved: the answer would tell a caller which
 * inner names exist, and every call is judged again when it connects.
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

/** The rules for public addresses apply to a name, unless the operator allows addresses: it may lead to one of them. */
function judgeName({ protocol, port }: OutboundTarget, policy: OutboundPolicy): OutboundRefusalReason | null {
  if (policy.allow.length > 0) return null;
  if (protocol !== "https:") return "scheme_not_allowed";
  return policy.ports !== null && !policy.ports.includes(port) ? "port_not_allowed" : null;
}
