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
  paths: { list: "/contacts" },
  columns: [
    { field: "id", title: "Contact", kind: "id" },
    { field: "emailHint", title: "Address" },
    { field: "kind", title: "Kind" },
    { field: "status", title: "Status", kind: "state" },
    { field: "muted", title: "Muted", kind: "texts", isOnPagesOnly: true },
    { field: "projectClientId", title: "Project", kind: "id", page: "/clients", isOnPagesOnly: true },
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
      summary: "List the email addresses that are notified about a project, oldest first.",
      empty:
        "This project has no contact. An owner of the project, or an operator with the role security, can add an address here. The address then has to be confirmed.",
      fields: [{ ...projectClient, isRequired: true }],
      example: "--client <client id>",
    }),
    operation({
      verb: "add",
      rpc: rpcs.addProjectContact,
      does: "create",
      summary:
        "Add an email address. Its owner receives a link to confirm it. Adding a pending contact again sends another link, at most once an hour.",
      title: "Add a contact",
      button: "Add the contact",
      notice: "The contact is emailed a confirmation link.",
      prints: ["id"],
      fields: [
        { ...projectClient, isRequired: true },
        { field: "email", label: "Address", explanation: "email address", placeholder: "email", isRequired: true },
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
      summary: "Stop emailing a contact about some types of events.",
      notice: "The contact is no longer emailed about these types.",
      fields: [types],
      example: "--contact <contact id> --types platform.credential.issued",
    }),
    operation({
      verb: "unmute",
      rpc: rpcs.unmuteProjectContact,
      does: "act",
      summary: "Email a contact about some types of events again.",
      notice: "The contact is emailed about these types again.",
      fields: [types],
      example: "--contact <contact id> --types platform.credential.issued",
    }),
    operation({
      verb: "remove",
      rpc: rpcs.removeProjectContact,
      does: "act",
      summary: "Remove a contact. It receives no further emails.",
      notice: "The contact is removed.",
      isDanger: true,
      isRemoval: true,
      prints: ["id", "removed"],
      also: { removed: true },
      example: "--contact <contact id>",
    }),
  ],
});
