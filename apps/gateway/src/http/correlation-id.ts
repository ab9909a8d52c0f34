import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { isUuid } from "@platform/service-kit/secrets/id";

/** The correlation id of a request: its X-Correlation-ID when that is a UUID, else a new one. */
export function correlationIdOf(request: IncomingMessage): { correlationId: string; isMalformed: boolean } {
  const header = request.headers["x-correlation-id"];
  const isGiven = typeof header === "string" && isUuid(header);
  return { correlationId: isGiven ? header.toLowerCase() : randomUUID(), isMalformed: header !== undefined && !isGiven };
}
