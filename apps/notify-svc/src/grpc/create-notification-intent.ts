import { ServiceError } from "@platform/kit/rpc/errors";
import type { ServerCall } from "@platform/kit/rpc/server";
import type { CreateNotificationIntentRequest } from "@platform/proto/notify/v1/notify_service";
import { takesMarketing } from "../domain/suppression.ts";
import { acceptIntent } from "./accept-intent.ts";
import type { RpcDeps } from "./rpc-deps.ts";

/**
 * Accepts an email. With a marketing purpose, it gets a one-click unsubscribe link, and is rejected after that link was
 * used.
 */
export const createNotificationIntent =
  (deps: RpcDeps) => (request: CreateNotificationIntentRequest, call: ServerCall) => {
    const purpose = request.marketingPurpose ?? null;
    return acceptIntent(
      deps,
      request,
      {
        keyScope: "email",
        takes: (channel) => channel === "email",
        purpose,
        canUnsubscribe: purpose !== null,
        assertConsent: (endpoint) => {
          if (purpose === null || takesMarketing(endpoint, purpose)) return;
          throw new ServiceError("consent_withdrawn", "The recipient has unsubscribed from this purpose.");
        },
      },
      call,
    );
  };
