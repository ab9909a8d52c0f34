import { DecisionAdminService, SigningKeySchema } from "@platform/proto/ads/v1/ads_admin";
import { operation, resource } from "./resource.ts";

const rpcs = DecisionAdminService.method;

export const signingKeys = resource({
  name: "ads keys",
  noun: "signing key",
  title: "Signing keys",
  row: SigningKeySchema,
  id: "kid",
  subject: { field: "kid", option: "kid", explanation: "the key's id" },
  paths: { list: "/campaigns/keys", one: "/campaigns/keys" },
  above: ["Campaigns", "/campaigns"],
  columns: [
    { field: "kid", title: "Key", kind: "id" },
    { field: "status", title: "Status", kind: "state" },
    { field: "createdAt", title: "Created", kind: "time" },
    { field: "verifiesUntil", title: "Verifies until", kind: "time" },
    { field: "publicJwkJson", key: "public_jwk", title: "Public half", kind: "json" },
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
      summary: "List the keys, newest first, with their public halves.",
      prints: "array",
    }),
    operation({
      verb: "rotate",
      rpc: rpcs.rotateSigningKey,
      does: "create",
      summary: "Sign with a new key from now on. Tokens signed before stay valid until they expire.",
      title: "Rotate",
      button: "Sign with a new key",
      notice: "The new key signs from now on.",
      isOnce: true,
    }),
    operation({
      verb: "revoke",
      rpc: rpcs.revokeSigningKey,
      does: "act",
      summary:
        "Refuse every token of a key within seconds; for a key that leaked. The active key must be rotated first.",
      button: "Refuse its tokens",
      notice: "The key is revoked.",
      isDanger: true,
      offeredIn: ["retired"],
    }),
  ],
});
