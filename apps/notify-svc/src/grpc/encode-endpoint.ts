import { optionalTimestamp } from "@platform/kit/rpc/client";
import type { ServiceError } from "@platform/kit/rpc/errors";
import { consentsOf, type DeliveryEndpoint, type EndpointChange } from "../domain/endpoint.ts";
import { endpointFailure, endpointNotFound } from "./failures.ts";

/** Encodes an endpoint without its address. */
export function encodeEndpoint(endpoint: DeliveryEndpoint) {
  return {
    id: endpoint.id,
    channel: endpoint.channel,
    status: endpoint.status,
    ...optionalTimestamp("verifiedAt", endpoint.verifiedAt),
    consents: consentsOf(endpoint),
  };
}

type Changed = { readonly endpoint: DeliveryEndpoint; readonly failure: EndpointChange["failure"] };

/** Returns the endpoint after a change, or throws its error. */
export function changedEndpoint(changed: Changed | null): DeliveryEndpoint {
  if (changed === null) throw endpointNotFound();
  const failure: ServiceError | null = changed.failure === null ? null : endpointFailure(changed.failure);
  if (failure !== null) throw failure;
  return changed.endpoint;
}
