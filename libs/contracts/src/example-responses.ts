import type { OperationId } from "./operations.ts";

const id = "01890a5d-ac96-774b-bcce-b302099a8057";
const otherId = "01890a5d-ac97-7b3e-9a3c-5d1f6f1c2a10";
const token = "0d9c8b7a6f5e4d3c2b1a09f8e7d6c5b40d9c8b7a6f5e4d3c2b1a09f8e7d6c5b4";
const sha256 = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
const at = "2026-07-01T00:30:00.000Z";

const transaction = {
  id,
  project_client_id: otherId,
  legacy_subject: "member-20417",
  email: "hanako@example.com",
  locale: "ja",
  correlation_id: "01890a5d-ac9d-7136-8f9e-5d7a1b3c8f86",
  expires_at: at,
  status: "pending",
  account_id: null,
};
const linked = { ...transaction, account_id: "01890a5d-ac9f-7358-81b0-7f9c3d5e0ba8" };

const endpoint = {
  id,
  channel: "fcm",
  status: "verified",
  verified_at: at,
  consents: [{ purpose: "transactional.order", granted: true }],
};
const intent = { data: { intent_id: id, delivery_id: otherId, status: "pending" } };

/** One success body for each operation, or null if the response is a page or a redirection. */
export const exampleResponses = {
  "edge.getHealth": {
    data: { status: "ok", release: "0.1.0", components: [{ name: "identity-svc", status: "ok" }] },
  },
  "edge.noop": {
    data: { money: { currency: "JPY", minor: 1200 }, status: "queued" },
    meta: { release: "0.1.0", idempotency_key: "check-1", correlation_id: id, replayed: false },
  },
  "identity.getProjectClient": {
    data: { id, name: "Shop", environment: "production", scopes: ["clients:read", "files:write"] },
  },
  "identity.createIdentityMigrationTransaction": { data: { ...transaction, flow_token: token } },
  "identity.getIdentityMigrationTransaction": { data: transaction },
  "identity.createHostedContinuation": { data: { id, continuation_token: token, expires_at: at } },
  "identity.continueIdentityMigration": null,
  "identity.linkIdentityMigrationTransaction": { data: { ...linked, status: "link_pending" } },
  "identity.confirmLink": { data: { ...linked, status: "completed" } },
  "identity.requestEmailVerification": { data: { status: "verification_pending" } },
  "identity.verifyEmail": { data: { status: "verified" } },
  "files.createUploadGrant": { data: { file_object_id: id, upload_token: token, expires_at: at } },
  "files.uploadFile": { data: { file_object_id: id } },
  "files.completeFileObject": { data: { id, status: "available", rejection_reason: null } },
  "files.createDownloadGrant": {
    data: { grant_id: id, download_url: `https://platform.example.com/file-downloads/${token}`, expires_at: at },
  },
  "files.createPublicAsset": {
    data: { id, version: 1, url: `https://platform.example.com/public-assets/${sha256}.webp`, sha256 },
  },
  "notify.validateNotificationCatalog": { data: { entries: 1, digest: sha256 } },
  "notify.registerEmailDeliveryEndpoint": { data: { id, status: "pending", verification_token: token } },
  "notify.verifyEmailDeliveryEndpoint": { data: { id, status: "verified" } },
  "notify.createNotificationIntent": intent,
  "notify.createChannelNotificationIntent": intent,
  "notify.registerDeliveryEndpoint": { data: { ...endpoint, status: "pending", verified_at: null, consents: [] } },
  "notify.verifyDeliveryEndpoint": { data: endpoint },
  "notify.getDeliveryEndpoint": { data: endpoint },
  "notify.revokeDeliveryEndpoint": {
    data: { ...endpoint, status: "revoked", consents: [{ purpose: "transactional.order", granted: false }] },
  },
  "notify.setDeliveryConsent": { data: endpoint },
  "notify.getNotificationDelivery": {
    data: { id, channel: "fcm", status: "sent", attempts: 1, provider_status: "accepted", last_error_code: null },
  },
  "events.createProjectAudit": { data: { id } },
  "events.publishDomainEvent": {
    data: {
      id,
      project_client_id: otherId,
      type: "order.shipped",
      schema_version: 1,
      data: { order_number: "A-1042", parcels: 2 },
      stream_id: "order-A-1042",
      sequence: 3,
      occurred_at: at,
      published_at: at,
    },
  },
  "events.registerScheduledOperation": { data: { id } },
  "ads.recordViewableImpression": {
    data: {
      recorded: true,
      charged_minor: 2,
      destination_url: "https://shop.example.com/summer",
      attribution_token: null,
    },
  },
} as const satisfies Record<OperationId, object | null>;
