import { z } from "zod";
import { dateTime, email, uri, uuid } from "../formats.ts";
import { scopes } from "../scopes.ts";
import { hex64, locale, text } from "../text.ts";

/** The deployment environments of Project Clients. */
export const environments = ["development", "sandbox", "staging", "production"] as const;

export const ProjectClient = z
  .object({
    data: z
      .strictObject({
        id: uuid.describe("Id of the Project Client."),
        name: z.string().describe("Display name of the Project Client."),
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
  legacy_subject: text({ max: 255 }).describe("Id of the person in your old user store."),
  email: email(255).describe("The asserted email address."),
  locale: locale.describe("Language of the hosted pages and emails, such as `ja`."),
  correlation_id: uuid.describe("Your own id for the migration, so that you can find it in your logs."),
  expires_at: dateTime.describe("Time until which an account can be linked."),
  status: z.enum(["pending", "link_pending", "completed", "expired"]).meta({
    id: "IdentityMigrationStatus",
    description:
      "`link_pending`: an account is linked, and the Project Backend has not yet confirmed that it recorded the link.",
  }),
  account_id: uuid.nullable().describe("Null until an account is linked."),
};

export const IdentityMigrationTransaction = z
  .object({
    data: z.object(transactionFields).meta({
      id: "IdentityMigrationTransaction",
      description: "The migration of one legacy subject to a Platform Account.",
    }),
  })
  .meta({ id: "IdentityMigrationTransactionResponse" });

export const CreatedIdentityMigrationTransaction = z
  .object({
    data: z
      .object({
        ...transactionFields,
        flow_token: hex64.describe("Secret of the transaction. It is returned only when the transaction is created."),
      })
      .meta({ id: "CreatedIdentityMigrationTransaction", description: "A new transaction with its flow token." }),
  })
  .meta({ id: "CreatedIdentityMigrationTransactionResponse" });

export const CreateIdentityMigrationTransactionBody = z.strictObject({
  project_client_id: uuid.describe("Id of the Project Client that makes the request."),
  legacy_subject: text({ max: 255 }).describe("Id of the person in your old user store."),
  email: email(255).describe("Email address that you know for the person. The account must verify it."),
  locale: locale.describe("Language of the hosted pages and emails, such as `ja`."),
  correlation_id: uuid.describe("Your own id for the migration, so that you can find it in your logs."),
  expires_at: dateTime.describe("Time until which an account can be linked: in the future, and at most 7 days ahead."),
});

export const CreateHostedContinuationBody = z.strictObject({
  flow_token: hex64.describe("The flow_token from the response that created the transaction."),
  return_uri: uri(2048).describe(
    "Address to which the browser returns. It must be on the Project Client's allow-list, character for character.",
  ),
  state: text({ max: 2048 }).describe("Your own value, which is added unchanged to the return_uri."),
});

export const HostedContinuation = z
  .object({
    data: z
      .object({
        id: uuid.describe("Id of the continuation."),
        continuation_token: hex64.describe("Secret for the form that the browser posts. It is returned only here."),
        expires_at: dateTime.describe("Time until which the browser can post the form."),
      })
      .meta({ id: "HostedContinuation", description: "Access to the hosted pages for one browser." }),
  })
  .meta({ id: "HostedContinuationResponse" });

export const EmailVerification = z
  .object({
    data: z
      .object({ status: z.literal("verification_pending").describe("An email has been queued.") })
      .meta({ id: "EmailVerification", description: "The state of the requested verification." }),
  })
  .meta({ id: "EmailVerificationResponse" });

export const VerifiedEmail = z
  .object({
    data: z
      .object({ status: z.literal("verified").describe("The address is verified for this transaction.") })
      .meta({ id: "VerifiedEmail", description: "Result of following the link." }),
  })
  .meta({ id: "VerifiedEmailResponse" });
