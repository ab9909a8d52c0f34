import type { identityOperations } from "@platform/contracts/operations/identity";
import type { HandlersFor } from "../handler.ts";
import { confirmLink } from "./identity/confirm-link.ts";
import { createHostedContinuation } from "./identity/create-hosted-continuation.ts";
import { createIdentityMigrationTransaction } from "./identity/create-identity-migration-transaction.ts";
import { getIdentityMigrationTransaction } from "./identity/get-identity-migration-transaction.ts";
import { getProjectClient } from "./identity/get-project-client.ts";
import { linkIdentityMigrationTransaction } from "./identity/link-identity-migration-transaction.ts";
import { requestEmailVerification } from "./identity/request-email-verification.ts";

/** The handlers of the operations of identity-svc. */
export const identityHandlers = {
  "identity.getProjectClient": getProjectClient,
  "identity.createIdentityMigrationTransaction": createIdentityMigrationTransaction,
  "identity.getIdentityMigrationTransaction": getIdentityMigrationTransaction,
  "identity.createHostedContinuation": createHostedContinuation,
  "identity.linkIdentityMigrationTransaction": linkIdentityMigrationTransaction,
  "identity.confirmLink": confirmLink,
  "identity.requestEmailVerification": requestEmailVerification,
} satisfies HandlersFor<typeof identityOperations>;
