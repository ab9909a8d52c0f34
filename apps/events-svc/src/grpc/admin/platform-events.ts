import { newId } from "@platform/kit/process/secrets";
import type { GrpcConnection } from "@platform/kit/rpc/client";
import { ServiceError } from "@platform/kit/rpc/errors";
import type { Implementation, ServerCall } from "@platform/kit/rpc/server";
import { platformEventTypes, platformFact } from "@platform/operator-plane/platform-events";
import type { PlatformEventAdminService } from "@platform/proto/events/v1/platform_event_admin";
import { AuthenticationService } from "@platform/proto/identity/v1/identity_service";
import type { EventPublisher } from "../../store/publish-domain-event.ts";
import { toDomainEventMessage } from "../domain-event-message.ts";
import { operatorError } from "./schedule-messages.ts";

/** The operator RPC that creates samples of platform events. */
export function platformEventAdmin(
  publisher: EventPublisher,
  identity: GrpcConnection,
  clock: () => Date,
): Implementation<typeof PlatformEventAdminService> {
  const clients = identity.service(AuthenticationService);
  // The setting is read each time, so that an operator's change takes effect immediately.
  const isTold = async (projectClientId: string, { correlationId, operation }: ServerCall): Promise<boolean> => {
    const projectClient = { id: projectClientId, environment: "" };
    const context = { correlationId, operation, projectClient, idempotency: null };
    const reply = await clients.getProjectClient({ projectClientId }, { context, retryUnavailable: true });
    return reply.projectClient?.platformEvents === true;
  };
  return {
    triggerPlatformEvent: async ({ projectClientId, type }, call) => {
      if (!platformEventTypes.includes(type)) {
        throw operatorError(`"${type}" is no platform event. docs/events.md lists them under "Platform events".`);
      }
      if (!(await isTold(projectClientId, call))) {
        throw new ServiceError(
          "platform_events_off",
          "This Project Client is not told of platform events; turn them on: clients update --platform-events on.",
        );
      }
      const [, resource = "", state = ""] = type.split(".");
      const fact = platformFact({ resource, id: newId(), state, data: { sample: true } }, clock());
      return { event: toDomainEventMessage(await publisher.publishFact(projectClientId, fact)) };
    },
  };
}
