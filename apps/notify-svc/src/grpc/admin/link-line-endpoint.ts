import { newId } from "@platform/kit/process/secrets";
import type { ServerCall } from "@platform/kit/rpc/server";
import type { LinkLineEndpointRequest } from "@platform/proto/notify/v1/notify_admin";
import { firstOwnership } from "../../domain/endpoint.ts";
import { contractViolation } from "../failures.ts";
import type { RpcDeps } from "../rpc-deps.ts";
import { requireClientId } from "./require-client-id.ts";

/** Links a LINE user as a verified endpoint. Linking the same one again finds it; a revoked one is verified again, without consents. */
export const linkLineEndpoint =
  ({ stores, clock }: RpcDeps) =>
  async (request: LinkLineEndpointRequest, call: ServerCall) => {
    if (!/^U[0-9a-f]{32}$/.test(request.userId)) {
      throw contractViolation("/user_id", "invalid_format", "a LINE user ID is U and 32 lowercase hex characters");
    }
    const now = clock();
    const { endpoint } = await stores.endpoints.upsert(
      {
        id: newId(),
        projectClientId: requireClientId(request.projectClientId),
        environment: "",
        channel: "line",
        address: request.userId,
        status: "verified",
        verification: null,
        ownershipGeneration: firstOwnership,
        verifiedAt: now,
        grantedPurposes: [],
        withdrawnPurposes: [],
        lastErrorCode: null,
        pushDueAt: null,
        resubscription: null,
        version: 1,
        createdAt: now,
      },
      (current) => ({
        next:
          current.status === "verified"
            ? null
            : { ...current, status: "verified", verifiedAt: now, lastErrorCode: null },
        failure: null,
      }),
      { by: "operator", correlationId: call.correlationId },
      now,
    );
    return { id: endpoint.id };
  };
