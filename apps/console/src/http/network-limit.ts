import { defined } from "@platform/kit/process/fields";
import { createClientAddress, createSourceLimit, sourceNetwork } from "@platform/kit/web/http";
import type { Request, Response } from "express";
import { PageProblem } from "./page-problem.ts";

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
  now?: () => number,
): NetworkLimit {
  const sourceOf = createClientAddress(trustedProxies);
  const limit = createSourceLimit({ perSource: requestsMax, ...defined({ now }) });
  return (request, response) => {
    const { address, isShared } = sourceOf(request);
    if (isShared) return;
    const waitSeconds = limit(sourceNetwork(address));
    if (waitSeconds === null) return;
    response.set("retry-after", String(waitSeconds));
    throw new PageProblem(
      429,
      "Too many requests",
      "Your network has sent too many requests. Wait a minute, then try again.",
    );
  };
}
