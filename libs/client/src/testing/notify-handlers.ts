import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";
import { check, found, Refusal } from "./fail.ts";
import type { Handler, Valid } from "./handler.ts";
import { type Data, newId, newToken, type State } from "./state.ts";

function endpointOf({ endpoints }: State, id: string | undefined): Data {
  return found(endpoints.get(id ?? ""), "delivery_endpoint_not_found");
}

const shown = ({ id, channel, status, verified_at, consents }: Data) => ({
  data: { id, channel, status, verified_at, consents: [...consents] },
});

/** The endpoint of this address, or a new one. */
function registered({ endpoints }: State, channel: string, address: string): Data {
  const known = [...endpoints.values()].find((one) => one.channel === channel && one.address === address);
  if (known !== undefined && known.status !== "revoked") return known;
  const endpoint = known ?? { id: newId(), channel, address };
  Object.assign(endpoint, { status: "pending", verified_at: null, consents: [], token: newToken() });
  endpoints.set(endpoint.id, endpoint);
  return endpoint;
}

function prove(endpoint: Data, token: string): void {
  check(endpoint.status !== "revoked", "delivery_endpoint_revoked");
  check(endpoint.token === token, "verification_token_invalid");
  Object.assign(endpoint, { status: "verified", verified_at: new Date().toISOString(), token: null });
}

function send(state: State, endpoint: Data, body: Data) {
  check(endpoint.status === "verified", "delivery_endpoint_not_verified");
  const delivery = { id: newId(), channel: endpoint.channel, error: state.nextDeliveryErrors.shift() ?? null };
  state.deliveries.set(delivery.id, delivery);
  state.notifications.push({
    deliveryId: delivery.id,
    endpointId: endpoint.id,
    templateKey: body.template_key,
    locale: body.locale,
    variables: body.variables,
  });
  return { data: { intent_id: newId(), delivery_id: delivery.id, status: "pending" } };
}

/** Digest of entries; their order does not matter. */
const digestOf = (entries: readonly Data[]) =>
  bytesToHex(sha256(utf8ToBytes(JSON.stringify(entries.map((entry) => JSON.stringify(entry)).sort()))));

const hasConsent = (endpoint: Data, purpose: string) =>
  endpoint.consents.some((one: Data) => one.purpose === purpose && one.granted);

export const notifyHandlers = {
  "notify.validateNotificationCatalog": (_state, { body }) => ({
    data: { entries: body.entries.length, digest: digestOf(body.entries) },
  }),
  "notify.registerEmailDeliveryEndpoint": (state, { body }) => {
    const { id, status, token } = registered(state, "email", body.address.normalize("NFC").toLowerCase());
    return { data: { id, status, verification_token: token } };
  },
  "notify.verifyEmailDeliveryEndpoint": (state, { params, body }) => {
    const endpoint = endpointOf(state, params.endpointId);
    prove(endpoint, body.token);
    return { data: { id: endpoint.id, status: "verified" } };
  },
  "notify.createNotificationIntent": (state, { body }) => {
    const endpoint = endpointOf(state, body.endpoint_id);
    check(endpoint.channel === "email", "channel_mismatch");
    return send(state, endpoint, body);
  },
  "notify.createChannelNotificationIntent": (state, { body }) => {
    const endpoint = endpointOf(state, body.endpoint_id);
    check(endpoint.status !== "revoked", "delivery_endpoint_revoked");
    check(endpoint.channel !== "email", "channel_mismatch");
    check(endpoint.status === "verified", "delivery_endpoint_not_verified");
    check(hasConsent(endpoint, body.purpose), "consent_required");
    return send(state, endpoint, body);
  },
  "notify.registerDeliveryEndpoint": (state, { body }) => shown(registered(state, body.channel, body.identifier)),
  "notify.verifyDeliveryEndpoint": (state, { params, body }) => {
    const endpoint = endpointOf(state, params.endpointId);
    prove(endpoint, body.token);
    return shown(endpoint);
  },
  "notify.getDeliveryEndpoint": (state, { params }) => shown(endpointOf(state, params.endpointId)),
  "notify.revokeDeliveryEndpoint": (state, { params }) => {
    const endpoint = endpointOf(state, params.endpointId);
    const consents = endpoint.consents.map(({ purpose }: Data) => ({ purpose, granted: false }));
    Object.assign(endpoint, { status: "revoked", consents });
    return shown(endpoint);
  },
  "notify.setDeliveryConsent": (state: State, { params, body }: Valid) => {
    const endpoint = endpointOf(state, params.endpointId);
    if (endpoint.status === "revoked") throw new Refusal("delivery_endpoint_revoked");
    const others = endpoint.consents.filter(({ purpose }: Data) => purpose !== params.purpose);
    endpoint.consents = [...others, { purpose: params.purpose, granted: body.granted }];
    return shown(endpoint);
  },
  "notify.getNotificationDelivery": ({ deliveries }, { params }) => {
    const { id, channel, error } = found(deliveries.get(params.deliveryId ?? ""), "notification_delivery_not_found");
    const isSent = error === null;
    return {
      data: {
        id,
        channel,
        status: isSent ? "sent" : "failed",
        attempts: 1,
        provider_status: isSent ? "accepted" : "refused",
        last_error_code: error,
      },
    };
  },
} as const satisfies Record<string, Handler>;
