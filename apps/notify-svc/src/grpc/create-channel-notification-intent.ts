import { ServiceError } from "@platform/kit/rpc/errors";
import type { ServerCall } from "@platform/kit/rpc/server";
import type { CreateChannelNotificationIntentRequest } from "@platform/proto/notify/v1/notify_service";
import { acceptIntent } from "./accept-intent.ts";
import type { RpcDeps } from "./rpc-deps.ts";

/** Accepts a push or LINE message. It needs granted consent for its purpose. */
export const createChannelNotificationIntent =
  (deps: RpcDeps) => (request: CreateChannelNotificationIntentRequest, call: ServerCall) =>
    acceptIntent(
      deps,
      request,
      {
        keyScope: "channel",
        takes: (channel) => channel !== "email",
        purpose: request.purpose,
        canUnsubscribe: false,
        assertConsent: (endpoint) => {
          if (endpoint.grantedPurposes.includes(request.purpose)) return;
          throw new ServiceError("consent_required", "The endpoint has not granted consent for this purpose.");
        },
      },
      call,
    );
