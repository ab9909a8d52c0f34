import { createClientAddress, sourceNetwork } from "@platform/kit/web/http";
import type { Request, Response } from "express";
import { LRUCache } from "lru-cache";
import { PageProblem } from "./page-problem.ts";

const windowMs = 60_000;
/**
 * Maximum number of networks that are counted at the same time. A caller that controls more networks cannot be limited
 * in this way.
 */
const networksMax = 20_000;

/**
 * Maximum number of requests without a session per network and minute. A sign-in takes two requests, and the status
 * page one.
 */
export const strangersRequestsMax = 300;

/** Counts a request without a session. Throws the page for 429 if the network has sent too many. */
export type NetworkLimit = (request: Request, response: Response) => void;

/**
 * Limits requests without a session, for each network (an IPv4 address, or the /64 of an IPv6 address) and process.
 * Requests are not counted if several callers share their source: behind a proxy that was not configured, or one that
 * does not forward the caller's address. Otherwise, one visitor could lock out every operator.
 * @param trustedProxies addresses and CIDR ranges of TRUSTED_PROXIES; null if nothing was configured
 */
export function createNetworkLimit(
  trustedProxies: readonly string[] | null,
  requestsMax: number = strangersRequestsMax,
  now: () => number = () => performance.now(),
): NetworkLimit {
  const sourceOf = createClientAddress(trustedProxies);
  const counts = new LRUCache<string, { requests: number; readonly untilMs: number }>({ max: networksMax });
  return (request, response) => {
    const { address, isShared } = sourceOf(request);
    if (isShared) return;
    const network = sourceNetwork(address);
    const known = counts.get(network);
    const count = known === undefined || known.untilMs <= now() ? { requests: 0, untilMs: now() + windowMs } : known;
    count.requests += 1;
    counts.set(network, count);
    if (count.requests <= requestsMax) return;
    response.set("retry-after", String(Math.max(1, Math.ceil((count.untilMs - now()) / 1000))));
    throw new PageProblem(
      429,
      "Too many requests",
      "Your network has sent too many requests. Wait a minute, then try again.",
    );
  };
}
