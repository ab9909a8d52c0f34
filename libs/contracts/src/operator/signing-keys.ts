import { DecisionAdminService, SigningKeySchema } from "@platform/proto/ads/v1/ads_admin";
import { operation, resource } from "./resource.ts";

const rpcs = DecisionAdminService.method;

export const signingKeys = resource({
  name: "ads keys",
  noun: "signing key",
  title: "Signing keys",
  row: SigningKeySchema,
  id: "kid",
  subject: { field: "kid", option: "kid", explanation: "key id" },
  paths: { list: "/campaigns/keys" },
  above: ["Campaigns", "/campaigns"],
  columns: [
    { field: "kid", title: "Key", kind: "id" },
    { field: "status", title: "Status", kind: "state" },
    { field: "createdAt", title: "Created", kind: "time" },
    { field: "verifiesUntil", title: "Accepted until", kind: "time" },
    { field: "publicJwkJson", key: "public_jwk", title: "Public key", kind: "json" },
  ],
  shown: {
    list: ["kid", "status", "createdAt", "verifiesUntil"],
    page: [],
    question: ["status", "verifiesUntil"],
  },
  operations: [
    operation({
      verb: "list",
      rpc: rpcs.listSigningKeys,
      does: "list",
      summary: "List the signing keys with their public keys, newest first.",
      prints: "array",
    }),
    operation({
      verb: "rotate",
      rpc: rpcs.rotateSigningKey,
      does: "create",
      summary:
        "Create a new key and sign with it from now on. Tokens that the previous key signed stay valid until they expire.",
      title: "Rotate",
      button: "Rotate the key",
      notice: "The new key is active.",
      isOnce: true,
    }),
    operation({
      verb: "revoke",
      rpc: rpcs.revokeSigningKey,
      does: "act",
      summary:
        "Revoke a leaked key. Every token that it signed is rejected within seconds. Rotate the active key before you revoke it.",
      button: "Revoke the key",
      notice: "The key is revoked.",
      isDanger: true,
      offeredIn: ["retired"],
    }),
  ],
});
