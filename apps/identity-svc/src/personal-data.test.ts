import { comparePersonalData, type PersonalData, platformCollections } from "@platform/test-kit/personal-data";
import { expect, test } from "vitest";
import { storage } from "./storage.ts";

const outbox = "platform_events platform_events_due_at";
const collections: PersonalData = {
  operator_actions: platformCollections.operator_actions,
  put_off_work: platformCollections.put_off_work,
  retention_settings: platformCollections.retention_settings,
  // Requests come from a project's own servers. The log contains neither a body nor a query nor a person's address.
  request_log: {
    notPersonal: "_id project_client_id minute lines count codes dropped last_at changed_at reports erased_at",
  },
  project_contacts: {
    erased:
      "_id project_client_id email kind confirmed_at muted created_at token_sha256 link_expires_at last_link_at mail",
  },
  // Ids and states of a project's own resources. The address is the contact's.
  contact_notices: { notPersonal: "_id project_client_id contact_id type data_json occurred_at mail" },
  credential_usage: { notPersonal: "_id project_client_id credential_id hour operations reports" },
  request_reporters: { notPersonal: "_id reported_until seen_at is_over" },
  usage_counts: platformCollections.usage_counts,
  identity_migration_transactions: {
    erased: "legacy_subject email email_normalized verification evidence",
    // The remaining data is the keyed hash of a legacy subject, the id of an erased account, and states and times of
    // the transaction. They identify nobody.
    notPersonal: `_id project_client_id idempotency_key idempotency_fingerprint erased locale correlation_id created_at expires_at
      state account_id linked_at completed_at annulled_at flow_token_sha256 flow_token_failures verification_count last_mail_at purge_at
      expiry_told ${outbox}`,
  },
  health_days: { notPersonal: "_id began_at minutes counted" },
  quota_notices: { notPersonal: `_id project_client_id at level crossed ${outbox}` },
  reached_quotas: { notPersonal: "_id project_client_id resource since" },
  project_credentials: {
    notPersonal: `_id project_client_id name scopes secret_sha256 created_at expires_at revoked_at last_used_at last_used_network rotated_to_id
      expiry_told_days ${outbox}`,
  },
  // Data of people who work for a project. Erasing such a person by address deletes the membership.
  project_members: {
    erased: `_id project_client_id email subject role invited_by invited_at accepted_at last_sign_in_at removed_at mail`,
  },
  project_clients: {
    notPersonal: `_id name environment return_uris quota_limits platform_events allowed_scopes success_ratio disabled_at created_at
      invitation_mails_at erased`,
  },
  brands: { notPersonal: "_id name logo_url colour terms_url privacy_url revision created_at" },
  platform_sessions: {
    erased: "_id account_id secret_sha256 created_at authenticated_at last_seen_at expires_at revoked_at",
  },
  platform_accounts: {
    erased: "password_hash login_identifiers unproven_until",
    notPersonal: "_id created_at sessions_ended_at disabled_at erased",
  },
  // Acts of operators. Addresses in a reason or a request are replaced by hashes. Erasing a project deletes its
  // approvals, and any other is deleted 7 days after it ends.
  approvals: {
    notPersonal: `_id rpc act request request_json project_client_id asked_by asked_by_name asked_as_root reason asked_at expires_at status
      decided_by decided_at pending_key`,
  },
  // Sessions of operators.
  operator_sessions: {
    notPersonal: `_id subject name roles secret_sha256 id_token_sha256 signed_in_at last_seen_at network provider_sid created_at
      expires_at ended_at`,
  },
  // Counters by hashed address, kept for a quarter of an hour.
  sign_in_failures: { notPersonal: "_id failures ends_at" },
  password_resets: { erased: "_id account_id email language token_sha256 created_at expires_at used_at mail" },
  account_mails: {
    erased: "_id account_id email kind language created_at expires_at code_hmac code_failures used_at mail",
  },
  hosted_continuations: {
    erased: `_id project_client_id idempotency_key idempotency_fingerprint transaction_id token_sha256 return_uri state created_at
      expires_at browser_sha256 flow_expires_at outcome`,
  },
  erasures: {
    sealed: "subject_sealed",
    notPersonal: `_id kind open steps.service steps.status steps.erased steps.done_at steps.failures steps.error steps.retry_at
      created_at finished_at`,
  },
};

test("declares for every stored path whether it may name a person, and what erasure does with it", () => {
  expect(comparePersonalData(storage, collections)).toEqual({ unlisted: [], unknown: [] });
});
