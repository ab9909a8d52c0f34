import { ProjectContactAdminService, ProjectContactSchema } from "@platform/proto/identity/v1/project_contact_admin";
import { projectClient } from "./project-client.ts";
import { operation, resource } from "./resource.ts";

const rpcs = ProjectContactAdminService.method;

const types = {
  field: "types",
  label: "Types",
  explanation: "comma-separated types of platform events, such as platform.quota.threshold_reached",
  placeholder: "types",
  isRequired: true,
} as const;

export const contacts = resource({
  name: "contacts",
  noun: "contact",
  title: "Contacts",
  row: ProjectContactSchema,
  subject: { field: "contactId", option: "contact", explanation: "contact id" },
  paths: { list: "/contacts", one: "/contacts" },
  columns: [
    { field: "id", title: "Contact", kind: "id" },
    { field: "emailHint", title: "Address" },
    { field: "kind", title: "Kind" },
    { field: "status", title: "Status", kind: "state" },
    { field: "muted", title: "Muted", kind: "texts", isOnPagesOnly: true },
    { field: "projectClientId", title: "Project Client", kind: "id", page: "/clients", isOnPagesOnly: true },
    { field: "createdAt", title: "Added", kind: "time", isOnPagesOnly: true },
  ],
  shown: {
    list: ["emailHint", "kind", "status", "muted", "createdAt", "id"],
    page: [],
    question: ["emailHint", "kind", "status", "muted"],
  },
  operations: [
    operation({
      verb: "list",
      rpc: rpcs.listProjectContacts,
      does: "list",
      summary: "List the addresses that are emailed about a client, oldest first.",
      empty:
        "Nobody is emailed about this client. Someone with the role security adds an address here, and its owner confirms it.",
      fields: [{ ...projectClient, isRequired: true }],
      example: "--client <client id>",
    }),
    operation({
      verb: "add",
      rpc: rpcs.addProjectContact,
      does: "create",
      summary:
        "Add an address. Its owner is emailed a link that confirms it; a pending contact is emailed again, at most once an hour.",
      title: "Add a contact",
      button: "Add it",
      notice: "The contact is emailed a link.",
      prints: ["id"],
      fields: [
        { ...projectClient, isRequired: true },
        { field: "email", label: "Address", explanation: "the email address", placeholder: "email", isRequired: true },
        {
          field: "kind",
          label: "Kind",
          explanation: "technical or business",
          choices: ["technical", "business"],
          initial: "technical",
        },
      ],
      example: "--client <client id> --email ops@example.com --kind technical",
    }),
    operation({
      verb: "mute",
      rpc: rpcs.muteProjectContact,
      does: "act",
      summary: "Stop emails of some types to a contact.",
      notice: "The contact is not emailed about these types.",
      fields: [types],
      example: "--contact <contact id> --types platform.credential.issued",
    }),
    operation({
      verb: "unmute",
      rpc: rpcs.unmuteProjectContact,
      does: "act",
      summary: "Send emails of some types to a contact again.",
      notice: "The contact is emailed about these types again.",
      fields: [types],
      example: "--contact <contact id> --types platform.credential.issued",
    }),
    operation({
      verb: "remove",
      rpc: rpcs.removeProjectContact,
      does: "act",
      summary: "Remove a contact; nothing is emailed to it any more.",
      notice: "The contact is removed.",
      isDanger: true,
      isRemoval: true,
      prints: ["id", "removed"],
      also: { removed: true },
      example: "--contact <contact id>",
    }),
  ],
});
