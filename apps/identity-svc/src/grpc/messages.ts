import type { MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { defined } from "@platform/kit/process/fields";
import { optionalTimestamp } from "@platform/kit/rpc/client";
import type { ProjectCredentialSchema } from "@platform/proto/identity/v1/identity_admin";
import type { ProjectClientSchema } from "@platform/proto/identity/v1/identity_service";
import type { ProjectClient } from "../domain/project-client.ts";
import type { ProjectCredential } from "../domain/project-credential.ts";
import { effectiveQuotaLimits, type QuotaDefaults } from "../domain/quota-defaults.ts";
import type { NamedProjectClient } from "../store/project-clients.ts";

/** Encodes a Project Client with its effective limits. */
export function projectClientMessage(
  client: ProjectClient,
  defaults: QuotaDefaults,
): MessageInitShape<typeof ProjectClientSchema> {
  const limits = effectiveQuotaLimits(defaults, client);
  return {
    ...namedProjectClientMessage(client),
    quotaLimits: Object.fromEntries(Object.entries(limits).map(([resource, limit]) => [resource, BigInt(limit)])),
    returnUris: [...client.return_uris],
    platformEvents: client.platform_events === true,
    ...defined({
      allowedScopes: client.allowed_scopes === undefined ? undefined : { values: [...client.allowed_scopes] },
      successRatio: client.success_ratio,
    }),
  };
}

/** Encodes the fields of a Project Client by which people recognize it. */
export const namedProjectClientMessage = ({ id, name, environment, disabled_at }: NamedProjectClient) => ({
  id,
  name,
  environment,
  disabled: disabled_at !== null,
});

/** Encodes a Project Credential without its hash. */
export function projectCredentialMessage(
  credential: ProjectCredential,
): MessageInitShape<typeof ProjectCredentialSchema> {
  return {
    id: credential.id,
    projectClientId: credential.project_client_id,
    name: credential.name,
    scopes: [...credential.scopes],
    createdAt: timestampFromDate(credential.created_at),
    ...optionalTimestamp("expiresAt", credential.expires_at),
    ...optionalTimestamp("revokedAt", credential.revoked_at),
    ...optionalTimestamp("lastUsedAt", credential.last_used_at),
    rotatedToId: credential.rotated_to_id ?? "",
    lastUsedNetwork: credential.last_used_network ?? "",
  };
}
