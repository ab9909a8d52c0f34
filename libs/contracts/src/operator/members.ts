import { MemberAdminService, MemberSchema } from "@platform/proto/identity/v1/member_admin";
import { projectClient } from "./project-client.ts";
import { operation, resource } from "./resource.ts";

const rpcs = MemberAdminService.method;
const role = {
  field: "role",
  label: "Role",
  explanation:
    "reader sees everything, with masked addresses; developer can also change the catalog, schedules and subscriptions, and retry; owner can also manage credentials, senders, return URIs and members",
  choices: ["reader", "developer", "owner"],
  isRequired: true,
} as const;

export const members = resource({
  name: "members",
  noun: "member",
  title: "People",
  row: MemberSchema,
  subject: { field: "memberId", option: "member", explanation: "member id" },
  paths: { list: "/members" },
  columns: [
    { field: "id", title: "Member", kind: "id", page: "/members" },
    { field: "emailHint", title: "Address" },
    { field: "role", title: "Role" },
    { field: "status", title: "Status", kind: "state" },
    {
      field: "invitationEmail",
      title: "Invitation email",
      kind: "state",
      isLeftOutIfAbsent: true,
      isOnPagesOnly: true,
    },
    { field: "lastSignInAt", title: "Last sign-in", kind: "time" },
    { field: "invitedAt", title: "Invited", kind: "time", isOnPagesOnly: true },
    { field: "invitedBy", title: "Invited by", isOnPagesOnly: true },
    { field: "projectClientId", title: "Project", kind: "id", page: "/clients", isOnPagesOnly: true },
  ],
  named: "emailHint",
  shown: {
    list: ["id", "emailHint", "role", "status", "lastSignInAt"],
    page: ["role", "status", "invitationEmail", "projectClientId", "invitedAt", "invitedBy", "lastSignInAt"],
    question: ["emailHint", "role", "status"],
  },
  operations: [
    operation({
      verb: "list",
      rpc: rpcs.listMembers,
      does: "list",
      summary: "List the members of a project in the order of their invitation.",
      empty: "This project has no members. Invite its first owner, who can then invite the others.",
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
      summary:
        "Invite a person to a project. They receive an email and accept the invitation by signing in with this address.",
      title: "Invite a person",
      button: "Invite the person",
      notice: "The person is invited.",
      prints: ["id"],
      fields: [
        { ...projectClient, isRequired: true },
        {
          field: "email",
          label: "Address",
          explanation: "address that the person signs in with; the identity provider must report it as verified",
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
      summary: "Change the role of a member. The change takes effect everywhere within ten seconds.",
      title: "Change the role",
      notice: "The role is changed.",
      fields: [role],
      example: "--member <id> --role owner",
    }),
    operation({
      verb: "remove",
      rpc: rpcs.removeMember,
      does: "act",
      summary:
        "Remove a person from a project. They lose access everywhere within ten seconds, even if they are signed in.",
      button: "Remove the person",
      notice: "The person is removed.",
      isDanger: true,
      isRemoval: true,
      prints: ["id", "removed"],
      also: { removed: true },
    }),
  ],
});
