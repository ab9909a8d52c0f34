import { isIP } from "node:net";
import { judgeAddress, type OutboundPolicy, OutboundRefused, type OutboundTarget } from "./outbound-policy.ts";
import { type ResolveAll, resolveName } from "./resolve-name.ts";

/** The literal address in a URL's host, or null for a name. The WHATWG parser has already turned 0x7f000001, 127.1 and 2130706433 into 127.0.0.1. */
export function literalAddress(hostname: string): string | null {
  const bare = hostname.replace(/^\[|\]$/g, "");
  return isIP(bare) === 0 ? null : bare;
}

export function targetOf(protocol: string, port: string | null): OutboundTarget {
  const fallback = protocol === "https:" ? 443 : 80;
  return { protocol, port: port === null || port === "" ? fallback : Number(port) };
}

/** How long a caller waits for a name, in milliseconds: well within the deadline of the request that names it. */
const resolveMsMax = 2_000;

/**
 * Judges a URL a caller gave, when it is registered. A name that does not resolve in time passes when https on an allowed port (it may
 * come up later): every call is judged again when it connects, so what passes here is never trusted.
 * @param resolve for tests; DNS otherwise
 * @param timeoutMs how long to wait for it
 * @throws OutboundRefused
 */
export async function checkOutboundUrl(
  url: string,
  policy: OutboundPolicy,
  resolve: ResolveAll = resolveName,
  timeoutMs: number = resolveMsMax,
): Promise<void> {
  const parsed = URL.parse(url);
  if (parsed === null || parsed.hostname === "") throw new OutboundRefused("url_malformed");
  if (parsed.protocol !== "https:" && parsed.protocol !== "http:") throw new OutboundRefused("scheme_not_allowed");
  if (parsed.username !== "" || parsed.password !== "") throw new OutboundRefused("credentials_in_url");
  const target = targetOf(parsed.protocol, parsed.port);
  const literal = literalAddress(parsed.hostname);
  const addresses = literal === null ? await resolved(parsed.hostname, resolve, timeoutMs) : [literal];
  for (const address of addresses) {
    const reason = judgeAddress(address, target, policy);
    if (reason !== null) throw new OutboundRefused(reason);
  }
  if (addresses.length > 0) return;
  // Nothing is known of the address, so the rules for public ones apply.
  if (target.protocol !== "https:") throw new OutboundRefused("scheme_not_allowed");
  if (policy.ports !== null && !policy.ports.includes(target.port)) throw new OutboundRefused("port_not_allowed");
}

/** The addresses of a name; none when it has none, or none in time. */
async function resolved(hostname: string, resolve: ResolveAll, timeoutMs: number): Promise<readonly string[]> {
  const { promise: late, resolve: giveUp } = Promise.withResolvers<readonly []>();
  const timer = setTimeout(() => giveUp([]), timeoutMs);
  try {
    return (await Promise.race([resolve(hostname), late])).map(({ address }) => address);
  } catch {
    return [];
  } finally {
    clearTimeout(timer);
  }
}
