import { isIPv4, isIPv6 } from "node:net";
import { sourceNetwork } from "@platform/kit/web/http";
import type { Request, Response } from "express";
import { LRUCache } from "lru-cache";
import { PageProblem } from "./page-problem.ts";

const windowMs = 60_000;
/** Networks counted at a time; a caller with more of them than this is not stopped by counting. */
const networksMax = 20_000;

/** Requests without a session that one network may send in a minute. A sign-in takes two; the status page is one. */
export const strangersRequestsMax = 300;

/** Counts a request of a caller nobody knows. Throws the page for 429 once the caller's network has sent too many. */
export type NetworkLimit = (request: Request, response: Response) => void;

/**
 * Limits what callers without a session may ask for, per network and process: an IPv4 address, or the /64 of an IPv6 one. Express finds the address
 * behind the proxies of TRUSTED_PROXIES. Behind a proxy that was not configured all callers look like one, so that a limit would let one stranger
 * lock every operator out: such requests are not counted.
 */
export function createNetworkLimit(
  isProxyKnown: boolean,
  requestsMax: number = strangersRequestsMax,
  now: () => number = () => performance.now(),
): NetworkLimit {
  const counts = new LRUCache<string, { requests: number; readonly untilMs: number }>({ max: networksMax });
  return (request, response) => {
    if (!isProxyKnown && request.headers["x-forwarded-for"] !== undefined) return;
    const address = request.ip ?? "";
    const network = isIPv4(address) || isIPv6(address.split("%")[0] ?? "") ? sourceNetwork(address) : "unknown";
    const known = counts.get(network);
    const count = known === undefined || known.untilMs <= now() ? { requests: 0, untilMs: now() + windowMs } : known;
    count.requests += 1;
    counts.set(network, count);
    if (count.requests <= requestsMax) return;
    response.set("retry-after", String(Math.max(1, Math.ceil((count.untilMs - now()) / 1000))));
    throw new PageProblem(429, "Too many requests", "Your network has sent too many requests. Wait a minute.");
  };
}
