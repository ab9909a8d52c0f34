import { newId } from "@platform/kit/process/secrets";
import type { GrpcConnection } from "@platform/kit/rpc/client";
import type { DisabledClients } from "@platform/operator-plane/clients";
import { AuthenticationService } from "@platform/proto/identity/v1/identity_service";

/** The state and the limit of a Project Client, which decide whether a run may spend quota. */
export type ClientLimits = { readonly isDisabled: boolean; readonly scheduledInvocations: number };

const rememberMs = 1_000;
const clientsMax = 10_000;

/**
 * Reads a client's state and limit from identity-svc, at most once a second for each client, so that an operator's
 * change takes effect within a second.
 */
export function createClientLimits(
  identity: GrpcConnection,
  disabledClients: Pick<DisabledClients, "has">,
): (clientId: string) => Promise<ClientLimits> {
  const service = identity.service(AuthenticationService);
  const known = new Map<string, { readonly askedAt: number; readonly limits: Promise<ClientLimits> }>();

  const ask = async (clientId: string): Promise<ClientLimits> => {
    const { projectClient } = await service.getProjectClient(
      { projectClientId: clientId },
      {
        context: {
          correlationId: newId(),
          operation: "events.callScheduledOperation",
          projectClient: { id: clientId, environment: "" },
          idempotency: null,
        },
        retryUnavailable: true,
      },
    );
    const limit = projectClient?.quotaLimits.scheduled_invocations;
    if (projectClient === undefined || limit === undefined) throw new Error("identity-svc named no limit");
    return { isDisabled: projectClient.disabled, scheduledInvocations: Number(limit) };
  };
  return (clientId) => {
    if (disabledClients.has(clientId)) {
      // The cached state is removed, so that the first run after the client was enabled reads it again.
      known.delete(clientId);
      return Promise.resolve({ isDisabled: true, scheduledInvocations: 0 });
    }
    // The monotonic clock is used instead of the worker's, because it limits how old a response may be.
    const now = performance.now();
    const remembered = known.get(clientId);
    if (remembered !== undefined && now - remembered.askedAt < rememberMs) return remembered.limits;
    const limits = ask(clientId);
    known.delete(clientId);
    known.set(clientId, { askedAt: now, limits });
    limits.catch(() => known.delete(clientId));
    const oldest = known.size > clientsMax ? known.keys().next().value : undefined;
    if (oldest !== undefined) known.delete(oldest);
    return limits;
  };
}
