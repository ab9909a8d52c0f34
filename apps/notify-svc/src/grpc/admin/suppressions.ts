import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { ServerCall } from "@platform/kit/rpc/server";
import type { LiftSuppressionRequest, ListSuppressionsRequest } from "@platform/proto/notify/v1/suppression_admin";
import { addressHint } from "../../domain/address.ts";
import type { DeliveryEndpoint } from "../../domain/endpoint.ts";
import { liftSuppression as lift } from "../../domain/suppression.ts";
import { contractViolation, endpointNotFound } from "../failures.ts";
import type { RpcDeps } from "../rpc-deps.ts";
import { requireClientId } from "./require-client-id.ts";

/** Lists a page of a client's suppressed endpoints, the most recently suppressed first. */
export const listSuppressions =
  ({ stores }: RpcDeps) =>
  async ({ projectClientId, limit, cursor }: ListSuppressionsRequest) => {
    const { items, nextCursor } = await stores.endpointSearch.listSuppressed(requireClientId(projectClientId), {
      limit,
      cursor,
    });
    return { suppressions: items.map(encode), nextCursor };
  };

/** Lifts the suppression of an endpoint of any client. */
export const liftSuppression =
  ({ stores, clock }: RpcDeps) =>
  async ({ endpointId }: LiftSuppressionRequest, call: ServerCall) => {
    const { endpoint: known } = (await stores.endpointSearch.find(endpointId.toLowerCase())) ?? {};
    if (known === undefined) throw endpointNotFound();
    if (known.suppression === null) {
      throw contractViolation("/endpoint_id", "invalid_state", "the endpoint is not suppressed");
    }
    const changed = await stores.endpoints.change(
      known.projectClientId,
      known.id,
      (current) => lift(current, clock()),
      { by: "operator", correlationId: call.correlationId },
      clock(),
    );
    if (changed === null) throw endpointNotFound();
    return { suppression: encode(known) };
  };

function encode({ id, projectClientId, channel, address, suppression }: DeliveryEndpoint) {
  return {
    endpointId: id,
    projectClientId,
    addressHint: addressHint(channel, address),
    reason: suppression?.reason ?? "",
    ...(suppression === null ? {} : { since: timestampFromDate(suppression.since) }),
  };
}
