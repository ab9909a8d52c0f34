import { platformStorage } from "@platform/operator-plane/service";
import { createStores } from "./store/create-stores.ts";
import { purposeOf } from "./store/erasures.ts";

/** The stores of identity-svc, for migrations and backups. */
export const storage = platformStorage({
  openStores: createStores,
  sharding: {
    project_clients: { unsharded: "one small document a client" },
    brands: { unsharded: "one small document a client" },
    project_members: { unsharded: "looked up by their subjects, over all clients" },
    project_credentials: { unsharded: "looked up by their ids, before a client is known" },
    platform_accounts: { unsharded: "unique by e-mail address over all clients" },
    platform_sessions: { unsharded: "looked up by their ids, before an account is known" },
    identity_migration_transactions: { unsharded: "workers claim mails by due time over all clients" },
    hosted_continuations: { unsharded: "looked up by their ids, and gone after a week" },
    password_resets: { unsharded: "unique by token over all accounts" },
    account_mails: { unsharded: "workers claim them by due time over all accounts, and gone after a day" },
    sign_in_failures: { unsharded: "counted by source and account, and gone within minutes" },
    approvals: { unsharded: "a few, unique by act and person" },
    operator_sessions: { unsharded: "a few, unique by ID token" },
    quota_notices: { unsharded: "a few for each client and window" },
    project_contacts: { unsharded: "a few for each client" },
    contact_notices: { unsharded: "workers claim emails by due time over all clients" },
    credential_usage: { unsharded: "one write for each credential and hour, by an _id that begins with the client" },
    request_log: { unsharded: "one write for each client and second, by an _id that begins with the client" },
    request_reporters: { unsharded: "one small document for each gateway process" },
    reached_quotas: { unsharded: "a few, read over all clients" },
    health_days: { unsharded: "one small document a day" },
    erasures: { unsharded: "few, and every worker lists the open ones" },
  },
  sealed: [{ collection: "erasures", field: "subject_sealed", purposeOf }],
});
