import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { defined } from "@platform/kit/process/fields";
import { newId } from "@platform/kit/process/secrets";
import { optionalTimestamp } from "@platform/kit/rpc/client";
import type { ServerCall } from "@platform/kit/rpc/server";
import { normalizeEmail } from "@platform/kit/web/mail";
import type {
  FindEndpointsRequest,
  GetEndpointRequest,
  ListEndpointsRequest,
  RestoreConsentRequest,
  RevokeEndpointRequest,
} from "@platform/proto/notify/v1/endpoint_admin";
import type { LinkLineEndpointRequest } from "@platform/proto/notify/v1/notify_admin";
import { addressHint, canonicalSubscription, readPushSubscription } from "../../domain/address.ts";
import type { Channel } from "../../domain/channel.ts";
import {
  consentsOf,
  type DeliveryEndpoint,
  type EndpointStatus,
  endpointStatuses,
  firstOwnership,
  restoreConsent as restore,
  revoke,
} from "../../domain/endpoint.ts";
import type { DatedEndpointEvent } from "../../store/endpoint-history.ts";
import { contractViolation, endpointFailure, endpointNotFound } from "../failures.ts";
import type { RpcDeps } from "../rpc-deps.ts";
import { readChannel } from "./deliveries.ts";
import { requireClientId } from "./require-client-id.ts";

const purposePattern = /^[a-z][a-z0-9_.-]{0,119}$/;

/** Lists a page of a client's endpoints, newest first. */
export const listEndpoints =
  ({ stores }: RpcDeps) =>
  async ({ projectClientId, channel, status, limit, cursor, reveal }: ListEndpointsRequest) => {
    const filter = {
      projectClientId: requireClientId(projectClientId),
      channel: readChannel(channel === "" ? null : channel),
      status: readStatus(status),
    };
    const { items, nextCursor } = await stores.endpointSearch.list(filter, { limit, cursor });
    return { endpoints: items.map((endpoint) => encode(endpoint, reveal)), nextCursor };
  };

/** Finds a client's endpoints with one address, of any channel. */
export const findEndpoints =
  ({ stores }: RpcDeps) =>
  async ({ projectClientId, address, reveal }: FindEndpointsRequest) => {
    const clientId = requireClientId(projectClientId);
    if (address.trim() === "") throw contractViolation("/address", "required", "the address to look for");
    const found = await stores.endpointSearch.findByAddress(clientId, (channel) => storedForm(channel, address));
    return { endpoints: found.map((endpoint) => encode(endpoint, reveal)) };
  };

/** Reads one endpoint of any client. */
export const getEndpoint =
  ({ stores }: RpcDeps) =>
  async ({ endpointId, reveal }: GetEndpointRequest) => {
    const found = await stores.endpointSearch.find(endpointId.toLowerCase());
    if (found === null) throw endpointNotFound();
    return { endpoint: encode(found.endpoint, reveal), history: found.history.map(encodeEvent) };
  };

/**
 * Links a LINE user as a verified endpoint. If the user is already linked, the existing endpoint is returned; a revoked
 * one is verified again, without consents.
 */
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
        suppression: null,
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

/** Revokes an endpoint, including email addresses. Queued deliveries to it are not sent. */
export const revokeEndpoint =
  ({ stores, clock }: RpcDeps) =>
  async ({ endpointId }: RevokeEndpointRequest, call: ServerCall) => {
    const { endpoint: known } = (await stores.endpointSearch.find(endpointId.toLowerCase())) ?? {};
    if (known === undefined) throw endpointNotFound();
    const decide = (current: DeliveryEndpoint) => revoke(current, "revoked_by_operator");
    const changed = await stores.endpoints.change(
      known.projectClientId,
      known.id,
      decide,
      { by: "operator", correlationId: call.correlationId },
      clock(),
    );
    if (changed === null) throw endpointNotFound();
    return { endpoint: encode(changed.endpoint, false) };
  };

/** Restores withdrawn consent. Only the owner can give consent that was never withdrawn. */
export const restoreConsent =
  ({ stores, clock }: RpcDeps) =>
  async ({ endpointId, purpose }: RestoreConsentRequest, call: ServerCall) => {
    if (!purposePattern.test(purpose)) throw contractViolation("/purpose", "invalid_format", "not a purpose");
    const { endpoint: known } = (await stores.endpointSearch.find(endpointId.toLowerCase())) ?? {};
    if (known === undefined) throw endpointNotFound();
    const changed = await stores.endpoints.change(
      known.projectClientId,
      known.id,
      (current) => restore(current, purpose),
      { by: "operator", correlationId: call.correlationId },
      clock(),
    );
    if (changed === null) throw endpointNotFound();
    if (changed.failure !== null) throw endpointFailure(changed.failure);
    if (!changed.endpoint.grantedPurposes.includes(purpose)) {
      throw contractViolation("/purpose", "not_found", "consent for this purpose was not withdrawn");
    }
    return { endpoint: encode(changed.endpoint, false) };
  };

function storedForm(channel: Channel, address: string): string {
  if (channel === "email") return normalizeEmail(address);
  if (channel !== "web_push") return address.trim();
  const subscription = readPushSubscription(address);
  return "problem" in subscription ? address : canonicalSubscription(subscription);
}

function readStatus(name: string): EndpointStatus | null {
  const status = endpointStatuses.find((each) => each === name);
  if (name !== "" && status === undefined) {
    throw contractViolation("/status", "invalid_value", `must be ${endpointStatuses.join(", ")}`);
  }
  return status ?? null;
}

function encode(endpoint: DeliveryEndpoint, isRevealed: boolean) {
  return {
    id: endpoint.id,
    projectClientId: endpoint.projectClientId,
    channel: endpoint.channel,
    status: endpoint.status,
    addressHint: addressHint(endpoint.channel, endpoint.address),
    ...(isRevealed ? { address: endpoint.address } : {}),
    ...optionalTimestamp("verifiedAt", endpoint.verifiedAt),
    createdAt: timestampFromDate(endpoint.createdAt),
    consents: consentsOf(endpoint),
    ...defined({ lastErrorCode: endpoint.lastErrorCode }),
  };
}

function encodeEvent({ at, what, by, purpose, detail, correlationId, deliveryId }: DatedEndpointEvent) {
  return {
    at: timestampFromDate(at),
    what,
    by,
    ...defined({ purpose, detail, correlationId, deliveryId }),
  };
}
