import type { ResourceOwners } from "@platform/operator-plane/operators";
import { secretKeyIdOf } from "../domain/secret-key.ts";

/**
 * How to find the Project Client that owns the resource of an operator's request, by the field that names the
 * resource.
 */
export const resourceOwners: ResourceOwners = {
  approval_id: { collection: "approvals" },
  contact_id: { collection: "project_contacts" },
  transaction_id: { collection: "identity_migration_transactions" },
  member_id: { collection: "project_members" },
  credential_id: { collection: "project_credentials", idOf: secretKeyIdOf },
};
