import type { OperationId } from "./operations.ts";

/** A request as it is sent: path parameters and JSON body, or null if the operation has none. */
export type ExampleRequest = {
  readonly params: Readonly<Record<string, string>> | null;
  readonly body: Readonly<Record<string, unknown>> | null;
};

const clientId = "01890a5d-ac96-774b-bcce-b302099a8057";
const transactionId = "01890a5d-ac97-7b3e-9a3c-5d1f6f1c2a10";
const fileObjectId = "01890a5d-ac98-7c21-8f4e-2b6a9d0e4c31";
const endpointId = "01890a5d-ac99-7d12-b0a5-7e3c1f8d5b42";
const deliveryId = "01890a5d-ac9a-7e03-9c6b-1a4d8e2f7c53";
const senderProfileId = "01890a5d-ac9b-7f14-8d7c-3b5e9f1a6d64";
const imagePresetId = "01890a5d-ac9c-7025-9e8d-4c6f0a2b7e75";
const token = "5f8e1c0b9a7d6e4f3c2b1a0958473625f8e1c0b9a7d6e4f3c2b1a09584736251";

/**
 * One valid request for each operation. The ids and tokens in these requests do not exist. `expires_at` is a fixed
 * time: to create an Identity Migration Transaction, set a time within the next 7 days.
 */
export const exampleRequests = {
  "edge.getHealth": { params: null, body: null },
  "edge.noop": { params: null, body: { money: { currency: "JPY", minor: 1200 } } },
  "identity.getProjectClient": { params: null, body: null },
  "identity.createIdentityMigrationTransaction": {
    params: null,
    body: {
      project_client_id: clientId,
      legacy_subject: "member-20417",
      email: "hanako@example.com",
      locale: "ja",
      correlation_id: "01890a5d-ac9d-7136-8f9e-5d7a1b3c8f86",
      expires_at: "2026-07-01T09:30:00+09:00",
    },
  },
  "identity.getIdentityMigrationTransaction": { params: { transactionId }, body: null },
  "identity.createHostedContinuation": {
    params: { transactionId },
    body: { flow_token: token, return_uri: "https://shop.example.com/migrated", state: "af0ifjsldkj" },
  },
  "identity.continueIdentityMigration": {
    params: null,
    body: { continuation_id: "01890a5d-ac9e-7247-90af-6e8b2c4d9a97", continuation_token: token },
  },
  "identity.linkIdentityMigrationTransaction": { params: { transactionId }, body: { flow_token: token } },
  "identity.confirmLink": { params: { transactionId }, body: null },
  "identity.requestEmailVerification": { params: { transactionId }, body: { flow_token: token } },
  "identity.verifyEmail": { params: { transactionId, token }, body: null },
  "files.createUploadGrant": {
    params: null,
    body: {
      expected_sha256: "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
      expected_content_type: "text/plain",
      maximum_bytes: 1024,
    },
  },
  "files.uploadFile": { params: { uploadToken: token }, body: null },
  "files.completeFileObject": { params: { fileObjectId }, body: null },
  "files.createDownloadGrant": { params: { fileObjectId }, body: null },
  "files.createPublicAsset": { params: { fileObjectId }, body: { image_preset_id: imagePresetId } },
  "notify.validateNotificationCatalog": {
    params: null,
    body: {
      entries: [
        {
          event_key: "order.shipped",
          template_key: "order-shipped",
          channel: "email",
          purpose: "transactional.order",
          locale: "en",
          sender_profile: "shop",
          variables: { order_number: "string", parcels: "integer" },
        },
      ],
    },
  },
  "notify.registerEmailDeliveryEndpoint": { params: null, body: { address: "hanako@example.com" } },
  "notify.verifyEmailDeliveryEndpoint": { params: { endpointId }, body: { token } },
  "notify.createNotificationIntent": {
    params: null,
    body: {
      sender_profile_id: senderProfileId,
      template_key: "order-shipped",
      locale: "en",
      endpoint_id: endpointId,
      variables: { order_number: "A-1042", parcels: 2 },
    },
  },
  "notify.createChannelNotificationIntent": {
    params: null,
    body: {
      sender_profile_id: senderProfileId,
      endpoint_id: endpointId,
      template_key: "order-shipped",
      locale: "en",
      purpose: "transactional.order",
      variables: { order_number: "A-1042", parcels: 2 },
    },
  },
  "notify.registerDeliveryEndpoint": {
    params: null,
    body: { channel: "fcm", identifier: "dGVzdC1yZWdpc3RyYXRpb24tdG9rZW4:APA91bH" },
  },
  "notify.verifyDeliveryEndpoint": { params: { endpointId }, body: { token } },
  "notify.getDeliveryEndpoint": { params: { endpointId }, body: null },
  "notify.revokeDeliveryEndpoint": { params: { endpointId }, body: null },
  "notify.setDeliveryConsent": { params: { endpointId, purpose: "transactional.order" }, body: { granted: true } },
  "notify.getNotificationDelivery": { params: { deliveryId }, body: null },
  "events.createProjectAudit": {
    params: null,
    body: {
      actor_id: "staff:42",
      action: "order.refund",
      resource_type: "order",
      resource_id: "A-1042",
      outcome: "succeeded",
    },
  },
  "events.publishDomainEvent": {
    params: null,
    body: {
      type: "order.shipped",
      schema_version: 1,
      data: { order_number: "A-1042", parcels: 2 },
      stream_id: "order-A-1042",
      sequence: 3,
      occurred_at: "2026-07-01T09:30:00+09:00",
    },
  },
  "events.registerScheduledOperation": {
    params: null,
    body: {
      name: "orders.close-stale",
      url: "https://shop.example.com/hooks/close-stale-orders",
      secret: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
      max_attempts: 5,
    },
  },
  "ads.recordViewableImpression": {
    params: null,
    body: { token: "eyJhbGciOiJFZERTQSJ9.e30.c2ln", visible_ratio_basis_points: 7500, duration_milliseconds: 1500 },
  },
} as const satisfies Record<OperationId, ExampleRequest>;
