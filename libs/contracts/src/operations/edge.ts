import { z } from "zod";
import { integer, uuid } from "../formats.ts";
import { noAuth, type OperationFamily } from "../operation.ts";
import { text } from "../text.ts";

/** The contract's version, sent in `meta.release` and by the health probe. */
export const contractRelease = "0.1.0";

const componentStatus = z.enum(["ok", "degraded", "down"]).meta({
  id: "HealthStatus",
  description: "`ok`: everything responds. `degraded`: some parts do not respond. `down`: nothing responds.",
});

const healthComponent = z
  .object({ name: z.string().describe("Name of the service, such as `files-svc`."), status: componentStatus })
  .meta({ id: "HealthComponent", description: "The health of one service." });

export const Health = z
  .object({
    data: z
      .object({
        status: componentStatus,
        release: z.string().describe("Version of the API contract."),
        components: z.array(healthComponent).describe("The services behind the gateway."),
      })
      .meta({ id: "Health", description: "The health of the platform and its services." }),
  })
  .meta({ id: "HealthResponse" });

export const Money = z
  .strictObject({
    currency: text({ max: 3, pattern: /^[A-Z]{3}$/ }).describe("ISO 4217 code, such as `JPY`."),
    minor: integer().describe("Amount in minor currency units."),
  })
  .meta({ id: "Money", description: "An amount of money." });

export const NoopBody = z.looseObject({ money: Money });

export const NoopResult = z
  .object({
    data: z
      .object({
        money: Money,
        status: z
          .enum(["queued", "completed"])
          .meta({ id: "NoopStatus", description: "Status that an actual request would have had." }),
      })
      .meta({ id: "NoopResult", description: "The validated request." }),
    meta: z
      .object({
        release: z.string().describe("Version of the API contract."),
        idempotency_key: z.string().describe("The request's Idempotency-Key."),
        correlation_id: uuid.describe("Correlation id of the current request, even if the response is replayed."),
        replayed: z.boolean().describe("True if this is the stored response of an earlier request."),
      })
      .meta({ id: "NoopMeta", description: "Information about the response itself." }),
  })
  .meta({ id: "NoopResponse" });

export const edgeOperations = {
  "edge.getHealth": {
    method: "GET",
    path: "/health",
    summary: "Probe the health of the service and its components",
    description:
      "Responds within a second, even if every service behind the gateway hangs. The HTTP status is always 200; the body contains the health status.",
    upstream: "edge",
    transport: "call",
    isProbe: true,
    auth: noAuth,
    correlationIdDeclared: false,
    idempotency: null,
    quota: null,
    params: null,
    body: null,
    status: 200,
    response: Health,
    errors: [],
    served: true,
  },
  "edge.noop": {
    method: "POST",
    path: "/noop",
    summary: "Validate a request against the contract, without side effects",
    description:
      "A repeat with the same key and payload replays the first response, with `meta.replayed` true. The same key with a different payload is rejected with 409.",
    upstream: "edge",
    transport: "call",
    auth: noAuth,
    correlationIdDeclared: true,
    idempotency: { maxLength: 255, replay: "outcome", reusedStatus: 409 },
    quota: null,
    params: null,
    body: NoopBody,
    status: 202,
    response: NoopResult,
    errors: [],
    served: true,
  },
} as const satisfies OperationFamily;
