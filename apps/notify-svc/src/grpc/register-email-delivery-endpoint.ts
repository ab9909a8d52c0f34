import { hashToken, newId, newToken } from "@platform/kit/process/secrets";
import { requireProjectClient, type ServerCall } from "@platform/kit/rpc/server";
import { normalizeEmail } from "@platform/kit/web/mail";
import type { RegisterEmailDeliveryEndpointRequest } from "@platform/proto/notify/v1/notify_service";
import { firstOwnership, newVerification, reregisterEmail } from "../domain/endpoint.ts";
import type { RpcDeps } from "./rpc-deps.ts";

/**
 * Creates an email endpoint, or updates the existing one. Only the response contains the token, which the project
 * sends in its own email.
 */
export const registerEmailDeliveryEndpoint =
  ({ stores, clock }: RpcDeps) =>
  async (request: RegisterEmailDeliveryEndpointRequest, call: ServerCall) => {
    const client = requireProjectClient(call);
    const now = clock();
    const token = newToken();
    const { endpoint } = await stores.endpoints.upsert(
      {
        id: newId(),
        projectClientId: client.id,
        environment: client.environment,
        channel: "email",
        address: normalizeEmail(request.address),
        status: "pending",
        verification: newVerification(hashToken(token), 1, now),
        ownershipGeneration: firstOwnership,
        verifiedAt: null,
        grantedPurposes: [],
        withdrawnPurposes: [],
        lastErrorCode: null,
        pushDueAt: null,
        resubscription: null,
        suppression: null,
        version: 1,
        createdAt: now,
      },
      (current) => reregisterEmail(current, hashToken(token), now),
      { by: "project", correlationId: call.correlationId },
      now,
    );
    return {
      id: endpoint.id,
      status: endpoint.status,
      ...(endpoint.status === "pending" ? { verificationToken: token } : {}),
    };
  };
