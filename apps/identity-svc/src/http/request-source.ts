import type { Request } from "express";

/**
 * The address of a request's sender: the last one in the header, which the gateway adds. Without a gateway, it is the
 * peer's own address.
 */
export function requestSource(request: Request): string {
  const forwarded = request.headers["x-forwarded-for"];
  const addresses = (Array.isArray(forwarded) ? forwarded.join(",") : (forwarded ?? "")).split(",");
  return addresses.at(-1)?.trim() || (request.socket.remoteAddress ?? "unknown");
}

/** True if the source of the request is shared, because it is a proxy that the gateway does not trust. */
export function isSourceShared(request: Request): boolean {
  return request.headers["x-platform-source-shared"] === "true";
}

/** The correlation id that the gateway gave the request; empty if there is none. */
export function requestCorrelationId(request: Request): string {
  const id = request.headers["x-correlation-id"];
  return typeof id === "string" ? id : "";
}
