import { MemberAdminService, MemberSchema } from "@platform/proto/identity/v1/member_admin";
import { projectClient } from "./project-client.ts";
import { operation, resource } from "./resource.ts";

const rpcs = MemberAdminService.method;
const role = {
  field: "role",
  label: "Role",
  explanation:
    "reader sees everything with addresses masked; developer also changes catalog, schedules, subscriptions and retries; owner also credentials, senders, return URIs and members",
  choices: ["reader", "developer", "owner"],
  isRequired: true,
} as const;

export const members = resource({
  name: "members",
  noun: "member",
  title: "People",
  row: MemberSchema,
  subject: { field: "memberId", option: "member", explanation: "member id" },
  paths: { list: "/members", one: "/members" },
  columns: [
    { field: "id", title: "Member", kind: "id", page: "/members" },
    { field: "emailHint", title: "Address" },
    { field: "role", title: "Role" },
    { field: "status", title: "Status", kind: "state" },
    { field: "lastSignInAt", title: "Last sign-in", kind: "time" },
    { field: "invitedAt", title: "Invited", kind: "time", isOnPagesOnly: true },
    { field: "invitedBy", title: "Invited by", isOnPagesOnly: true },
    { field: "projectClientId", title: "Project Client", kind: "id", page: "/clients", isOnPagesOnly: true },
  ],
  named: "emailHint",
  shown: {
    list: ["id", "emailHint", "role", "status", "lastSignInAt"],
    page: ["role", "status", "projectClientId", "invitedAt", "invitedBy", "lastSignInAt"],
    question: ["emailHint", "role", "status"],
  },
  operations: [
    operation({
      verb: "list",
      rpc: rpcs.listMembers,
      does: "list",
      summary: "List the people of a project, the first invited first.",
      empty: "Nobody is invited. Invite the project's first owner by their address; the owner then invites the others.",
      fields: [{ ...projectClient, isRequired: true }],
    }),
    operation({
      verb: "show",
      rpc: rpcs.getMember,
      does: "show",
      summary: "Show a member and who invited them.",
    }),
    operation({
      verb: "add",
      rpc: rpcs.addMember,
      does: "create",
      summary: "Invite a person into a project. Signing in with that address accepts the invitation.",
      title: "Invite a person",
      button: "Invite",
      notice: "The person is invited.",
      prints: ["id"],
      fields: [
        { ...projectClient, isRequired: true },
        {
          field: "email",
          label: "Address",
          explanation: "the address that they sign in with; the identity provider must say that it is verified",
          isRequired: true,
          maxLength: 320,
        },
        role,
      ],
      example: "--client <client id> --email ann@example.com --role developer",
    }),
    operation({
      verb: "set-role",
      rpc: rpcs.setMemberRole,
      does: "act",
      summary: "Give a member another role. It holds everywhere within ten seconds.",
      title: "Change the role",
      notice: "The member has the new role.",
      fields: [role],
      example: "--member <id> --role owner",
    }),
    operation({
      verb: "remove",
      rpc: rpcs.removeMember,
      does: "act",
      summary:
        "Remove a person from a project. It holds everywhere within ten seconds, also for a person who is signed in.",
      button: "Remove the person",
      notice: "The person is removed.",
      isDanger: true,
      isRemoval: true,
      prints: ["id", "removed"],
      also: { removed: true },
    }),
  ],
});
