import { createClientAddress, sourceNetwork } from "@platform/kit/web/http";
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
 * Limits what callers without a session may ask for, per network and process: an IPv4 address, or the /64 of an IPv6 one. Requests whose source is an
 * address that several callers share are not counted, because one stranger could lock every operator out: behind a proxy that was not configured, and
 * behind one that does not name the caller.
 * @param trustedProxies addresses and CIDR ranges of TRUSTED_PROXIES; null when nothing was configured
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
    throw new PageProblem(429, "Too many requests", "Your network has sent too many requests. Wait a minute, then try again.");
  };
}
