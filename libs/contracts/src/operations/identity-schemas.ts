import { z } from "zod";
import { dateTime, email, uri, uuid } from "../formats.ts";
import { scopes } from "../scopes.ts";
import { hex64, locale, text } from "../text.ts";

/** The deployment environments a Project Client can be of. */
export const environments = ["development", "sandbox", "staging", "production"] as const;

export const ProjectClient = z
  .object({
    data: z
      .strictObject({
        id: uuid.describe("Id of the Project Client."),
        name: z.string().describe("Its name, for people."),
        environment: z
          .enum(environments)
          .meta({ id: "Environment", description: "What the Project Client is used for." }),
        scopes: z
          .array(z.enum(scopes).meta({ id: "Scope", description: "What a credential may do." }))
          .describe("The scopes granted to the credential."),
      })
      .meta({ id: "ProjectClient", description: "The Project Client that the credential selects." }),
  })
  .meta({ id: "ProjectClientResponse" });

const transactionFields = {
  id: uuid.describe("Id of the transaction."),
  project_client_id: uuid.describe("The Project Client whose subject migrates."),
  legacy_subject: text({ max: 255 }).describe("The project-scoped legacy subject."),
  email: email(255).describe("The asserted email address."),
  locale: locale.describe("Language of pages and mails, such as `ja`."),
  correlation_id: uuid.describe("The project's own id of the migration, for its logs."),
  expires_at: dateTime.describe("Until when the link may be made."),
  status: z.enum(["pending", "link_pending", "completed", "expired"]).meta({
    id: "IdentityMigrationStatus",
    description:
      "`link_pending`: an account is linked, and the Project Backend has yet to confirm that it recorded it.",
  }),
  account_id: uuid.nullable().describe("Null until an account is linked."),
};

export const IdentityMigrationTransaction = z
  .object({
    data: z.object(transactionFields).meta({
      id: "IdentityMigrationTransaction",
      description: "The move of one legacy subject to a Platform Account.",
    }),
  })
  .meta({ id: "IdentityMigrationTransactionResponse" });

export const CreatedIdentityMigrationTransaction = z
  .object({
    data: z
      .object({ ...transactionFields, flow_token: hex64.describe("Returned by the creation only.") })
      .meta({ id: "CreatedIdentityMigrationTransaction", description: "A new transaction with its flow token." }),
  })
  .meta({ id: "CreatedIdentityMigrationTransactionResponse" });

export const CreateIdentityMigrationTransactionBody = z.strictObject({
  project_client_id: uuid.describe("The calling Project Client's own id."),
  legacy_subject: text({ max: 255 }).describe("The subject's id in the project's old user store."),
  email: email(255).describe("The address the subject asserts; the account must prove it."),
  locale: locale.describe("Language of pages and mails, such as `ja`."),
  correlation_id: uuid.describe("The project's own id of the migration, for its logs."),
  expires_at: dateTime.describe("In the future, at most 7 days ahead."),
});

export const CreateHostedContinuationBody = z.strictObject({
  flow_token: hex64.describe("The flow_token the creation returned."),
  return_uri: uri(2048).describe("On the Project Client's allow-list, character for character."),
  state: text({ max: 2048 }).describe("Handed back to return_uri as it is."),
});

export const HostedContinuation = z
  .object({
    data: z
      .object({
        id: uuid.describe("Id of the continuation."),
        continuation_token: hex64.describe("Returned here only; goes into the form the browser posts."),
        expires_at: dateTime.describe("Until when the browser may post it."),
      })
      .meta({ id: "HostedContinuation", description: "One browser's way into the hosted pages." }),
  })
  .meta({ id: "HostedContinuationResponse" });

export const EmailVerification = z
  .object({
    data: z
      .object({ status: z.literal("verification_pending").describe("A mail is on its way.") })
      .meta({ id: "EmailVerification", description: "The state of the requested verification." }),
  })
  .meta({ id: "EmailVerificationResponse" });

export const VerifiedEmail = z
  .object({
    data: z
      .object({ status: z.literal("verified").describe("The address is proven for this transaction.") })
      .meta({ id: "VerifiedEmail", description: "The outcome of a followed link." }),
  })
  .meta({ id: "VerifiedEmailResponse" });
