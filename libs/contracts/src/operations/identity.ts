import { z } from "zod";
import { dateTime, email, uri, uuid } from "../formats.ts";
import { noAuth, type OperationFamily, platformSession, projectCredential, recoveredKey } from "../operation.ts";
import { scopes } from "../scopes.ts";
import { hex64, locale, text } from "../text.ts";

/** The deployment environments a Project Client can be of. */
export const environments = ["development", "sandbox", "staging", "production"] as const;

export const ProjectClient = z
  .object({
    data: z.strictObject({
      id: uuid,
      name: z.string(),
      environment: z.enum(environments),
      scopes: z.array(z.enum(scopes)).describe("The scopes granted to the credential."),
    }),
  })
  .meta({ title: "Project Client" });

const transactionFields = {
  id: uuid,
  project_client_id: uuid,
  legacy_subject: text({ max: 255 }).describe("The project-scoped legacy subject."),
  email: email(255).describe("The asserted email address."),
  locale,
  correlation_id: uuid,
  expires_at: dateTime,
  status: z.enum(["pending", "link_pending", "completed", "expired"]),
  account_id: uuid.nullable().describe("Null until an account is linked."),
};

export const IdentityMigrationTransaction = z
  .object({ data: z.object(transactionFields) })
  .meta({ title: "Identity Migration Transaction" });

export const CreatedIdentityMigrationTransaction = z
  .object({
    data: z.object({ ...transactionFields, flow_token: hex64.describe("Returned by the creation only.") }),
  })
  .meta({ title: "Created Identity Migration Transaction" });

export const CreateIdentityMigrationTransactionBody = z.strictObject({
  project_client_id: uuid.describe("The calling Project Client's own id."),
  legacy_subject: text({ max: 255 }),
  email: email(255),
  locale,
  correlation_id: uuid,
  expires_at: dateTime.describe("In the future, at most 7 days ahead."),
});

export const CreateHostedContinuationBody = z.strictObject({
  flow_token: hex64,
  return_uri: uri(2048).describe("On the Project Client's allow-list, character for character."),
  state: text({ max: 2048 }).describe("Handed back to return_uri as it is."),
});

export const HostedContinuation = z
  .object({
    data: z.object({ id: uuid, continuation_token: hex64, expires_at: dateTime }),
  })
  .meta({ title: "Hosted Continuation" });

const TransactionParams = z.object({ transactionId: uuid });
const FlowTokenBody = z.strictObject({ flow_token: hex64 });

export const identityOperations = {
  "identity.getProjectClient": {
    method: "GET",
    path: "/project-client",
    summary: "Read the authenticated Project Client",
    upstream: "identity",
    transport: "call",
    auth: projectCredential("clients:read"),
    correlationIdDeclared: true,
    idempotency: null,
    quota: null,
    params: null,
    body: null,
    status: 200,
    response: ProjectClient,
    errors: [],
    served: true,
  },
  "identity.createIdentityMigrationTransaction": {
    method: "POST",
    path: "/identity-migration-transactions",
    summary: "Create an Identity Migration Transaction",
    description:
      "Create it only after recently authenticating the legacy subject. The flow_token of the answer goes to the registration-or-linking flow; an identical retry recovers it.",
    upstream: "identity",
    transport: "call",
    auth: projectCredential("identity-migrations:write"),
    correlationIdDeclared: false,
    idempotency: recoveredKey,
    quota: null,
    params: null,
    body: CreateIdentityMigrationTransactionBody,
    status: 201,
    response: CreatedIdentityMigrationTransaction,
    errors: ["project_client_mismatch", "identity_migration_transaction_expired"],
    served: true,
  },
  "identity.getIdentityMigrationTransaction": {
    method: "GET",
    path: "/identity-migration-transactions/{transactionId}",
    summary: "Read an Identity Migration Transaction",
    upstream: "identity",
    transport: "call",
    auth: projectCredential("identity-migrations:write"),
    correlationIdDeclared: false,
    idempotency: null,
    quota: null,
    params: TransactionParams,
    body: null,
    status: 200,
    response: IdentityMigrationTransaction,
    errors: ["identity_migration_transaction_not_found"],
    errorStatuses: { identity_migration_transaction_not_found: 404 },
    served: true,
  },
  "identity.createHostedContinuation": {
    method: "POST",
    path: "/identity-migration-transactions/{transactionId}/hosted-continuations",
    summary: "Start a hosted continuation for one browser",
    description:
      "Send only the continuation id and continuation_token onward, in a direct form POST to /identity-migration/continue. An identical retry recovers the same continuation.",
    upstream: "identity",
    transport: "call",
    auth: projectCredential("identity-migrations:write"),
    correlationIdDeclared: false,
    idempotency: recoveredKey,
    quota: null,
    params: TransactionParams,
    body: CreateHostedContinuationBody,
    status: 201,
    response: HostedContinuation,
    errors: [
      "identity_migration_transaction_not_found",
      "identity_migration_transaction_expired",
      "identity_migration_state_conflict",
      "flow_token_invalid",
      "flow_token_locked",
      "return_uri_not_allowed",
    ],
    served: true,
  },
  "identity.continueIdentityMigration": {
    method: "POST",
    path: "/identity-migration/continue",
    summary: "Continue in the browser (form POST)",
    description:
      "Binds the continuation to the first browser that posts it and leads it to the hosted pages. Errors are HTML pages.",
    upstream: "identity",
    transport: "proxy",
    auth: noAuth,
    correlationIdDeclared: false,
    idempotency: null,
    quota: null,
    params: null,
    body: z.object({ continuation_id: uuid, continuation_token: hex64 }),
    rawBody: ["application/x-www-form-urlencoded"],
    status: 303,
    response: null,
    errors: [],
    served: true,
  },
  "identity.linkIdentityMigrationTransaction": {
    method: "POST",
    path: "/identity-migration-transactions/{transactionId}/link",
    summary: "Link the signed-in account to the transaction",
    description:
      "The account needs an email Login Identifier verified after the transaction was created. A retry by the same account returns the established link.",
    upstream: "identity",
    transport: "call",
    auth: platformSession,
    correlationIdDeclared: false,
    idempotency: null,
    quota: null,
    params: TransactionParams,
    body: FlowTokenBody,
    status: 200,
    response: IdentityMigrationTransaction,
    errors: [
      "identity_migration_transaction_not_found",
      "identity_migration_transaction_expired",
      "identity_migration_state_conflict",
      "flow_token_invalid",
      "flow_token_locked",
      "email_not_verified",
      "account_already_linked",
    ],
    served: true,
  },
  "identity.confirmLink": {
    method: "POST",
    path: "/identity-migration-transactions/{transactionId}/confirm-link",
    summary: "Confirm that the Project Backend has recorded the link",
    description: "Call it once the Account ID link is durably recorded. Safe to retry.",
    upstream: "identity",
    transport: "call",
    auth: projectCredential("identity-migrations:write"),
    correlationIdDeclared: false,
    idempotency: null,
    quota: null,
    params: TransactionParams,
    body: null,
    status: 200,
    response: IdentityMigrationTransaction,
    errors: [
      "identity_migration_transaction_not_found",
      "identity_migration_transaction_expired",
      "identity_migration_state_conflict",
      "account_already_linked",
    ],
    served: true,
  },
  "identity.requestEmailVerification": {
    method: "POST",
    path: "/identity-migration-transactions/{transactionId}/email-verification",
    summary: "Mail a verification link to the asserted address",
    description:
      "The account must own the asserted address. A repeat invalidates the previous link at once. Mails are at least 30 seconds apart: within them the newest link's mail follows at their end. A transaction has ten.",
    upstream: "identity",
    transport: "call",
    auth: platformSession,
    correlationIdDeclared: false,
    idempotency: null,
    quota: null,
    params: TransactionParams,
    body: z.object({ flow_token: hex64 }),
    status: 202,
    response: z.object({ data: z.object({ status: z.literal("verification_pending") }) }),
    errors: [
      "identity_migration_transaction_not_found",
      "identity_migration_transaction_expired",
      "identity_migration_state_conflict",
      "flow_token_invalid",
      "flow_token_locked",
      "email_not_owned",
      "verification_limit_reached",
    ],
    served: true,
  },
  "identity.verifyEmail": {
    method: "GET",
    path: "/identity-migration-transactions/{transactionId}/verify-email/{token}",
    summary: "Follow a mailed verification link",
    description: "Answers a page to browsers (`Accept: text/html`). HEAD does not consume the link.",
    upstream: "identity",
    transport: "proxy",
    auth: noAuth,
    correlationIdDeclared: false,
    idempotency: null,
    quota: null,
    params: z.object({ transactionId: uuid, token: hex64 }),
    body: null,
    status: 200,
    response: z.object({ data: z.object({ status: z.literal("verified") }) }),
    errors: ["verification_link_invalid"],
    served: true,
  },
} as const satisfies OperationFamily;
