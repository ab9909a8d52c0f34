import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { isUuid } from "@platform/service-kit/secrets/id";

/** The correlation id of a request: its X-Correlation-ID when that is a UUID, else a new one. */
export function correlationIdOf(request: Pick<IncomingMessage, "headers">): {
  correlationId: string;
  isMalformed: boolean;
} {
  const header = request.headers["x-correlation-id"];
  const isGiven = typeof header === "string" && isUuid(header);
  return {
    correlationId: isGiven ? header.toLowerCase() : newCorrelationId(),
    isMalformed: header !== undefined && !isGiven,
  };
}

/**
 * A UUIDv7 (RFC 9562) whose random part is that of a UUIDv4, which Node draws from a pool: every request needs one, and drawing entropy
 * for each shows in profiles.
 */
export function newCorrelationId(nowMs: number = Date.now()): string {
  const time = nowMs.toString(16).padStart(12, "0");
  return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}`;
}
