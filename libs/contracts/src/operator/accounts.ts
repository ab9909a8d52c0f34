import { AccountSupportService } from "@platform/proto/identity/v1/account_support_admin";
import { AccountAdminService, PlatformAccountSchema } from "@platform/proto/identity/v1/identity_admin";
import { pageLanguages } from "./page-languages.ts";
import { operation, resource } from "./resource.ts";

const support = AccountSupportService.method;

/** Platform Accounts. An account can only be found by its address; accounts are not listed. */
export const accounts = resource({
  name: "accounts",
  noun: "account",
  title: "Accounts",
  row: PlatformAccountSchema,
  subject: { field: "accountId", option: "account", explanation: "account id" },
  paths: { list: "/accounts/find", one: "/accounts" },
  columns: [
    { field: "id", title: "Account", kind: "id", page: "/accounts" },
    { field: "status", title: "Status", kind: "state" },
    {
      field: "loginIdentifiers",
      title: "Addresses",
      columns: [
        { field: "email", title: "Revealed address", isLeftOutIfAbsent: true },
        { field: "addressHint", title: "Address" },
        {
          field: "verifiedAt",
          key: "state",
          title: "State",
          kind: "state",
          words: ["verified", "not verified"],
          isOnPagesOnly: true,
        },
        { field: "verifiedAt", title: "Verified", kind: "time" },
      ],
    },
    { field: "createdAt", title: "Created", kind: "time" },
  ],
  shown: {
    list: [],
    found: ["id", "status", "loginIdentifiers", "createdAt"],
    page: ["status", "createdAt", "loginIdentifiers"],
    question: ["loginIdentifiers", "status"],
  },
  operations: [
    operation({
      verb: "find",
      rpc: support.findAccounts,
      does: "find",
      summary: "Find the Platform Account that signs in with an address.",
      title: "Find an account by address",
      button: "Find",
      foundTitle: "Accounts with this address",
      empty: "No account signs in with this address.",
      fields: [
        {
          field: "email",
          label: "Address",
          explanation: "email address of its Login Identifier",
          placeholder: "address",
          isRequired: true,
          maxLength: 320,
        },
      ],
      example: "--email ann@example.com",
    }),
    operation({
      verb: "show",
      rpc: AccountAdminService.method.showAccount,
      does: "show",
      summary: "Show a Platform Account and its Login Identifiers.",
      example: "--account <account id>",
    }),
    operation({
      verb: "disable",
      rpc: support.disableAccount,
      does: "act",
      summary: "Disable an account: nobody can sign in to it, and its sessions end.",
      button: "Disable the account",
      notice: "The account is disabled.",
      isDanger: true,
      offeredIn: ["active"],
      example: '--account <account id> --reason "asked by its owner, case 4711"',
    }),
    operation({
      verb: "enable",
      rpc: support.enableAccount,
      does: "act",
      summary: "Enable a disabled account. Its owner has to sign in again.",
      button: "Enable the account",
      notice: "The account is enabled.",
      offeredIn: ["disabled"],
      example: "--account <account id>",
    }),
    operation({
      verb: "send-recovery",
      rpc: support.sendAccountRecovery,
      does: "act",
      summary: "Email the owner a link to set a new password. The link works once and expires after one hour.",
      title: "Email a recovery link",
      button: "Email the recovery link",
      notice: "The recovery link is being sent to the owner.",
      isCumulative: true,
      prints: ["account_id", "address_hint"],
      also: { account_id: { request: "accountId" }, address_hint: { reply: "addressHint" } },
      fields: [
        {
          field: "language",
          label: "Language",
          explanation: `language of the email: ${pageLanguages.join(", ")}`,
          choices: pageLanguages,
          initial: "en",
        },
      ],
      example: "--account <account id> --language ja",
    }),
  ],
});
