import { SessionAdminService, SignedInSessionSchema } from "@platform/proto/identity/v1/session_admin";
import { projectClient } from "./project-client.ts";
import { operation, resource } from "./resource.ts";

const rpcs = SessionAdminService.method;

const end = {
  verb: "end",
  does: "act",
  summary: "End a session of the console or of platformctl. Every service rejects it within ten seconds.",
  title: "End",
  button: "End the session",
  notice: "The session has ended.",
  isDanger: true,
  isRemoval: true,
} as const;

const signedIn = {
  name: "sessions",
  noun: "session",
  row: SignedInSessionSchema,
  subject: { field: "sessionId", option: "session-id", explanation: "session id, as listed" },
  columns: [
    { field: "id", title: "Session", kind: "id" },
    { field: "subject", title: "Person", kind: "id" },
    { field: "roles", title: "Roles", kind: "texts" },
    { field: "signedInAt", title: "Signed in", kind: "time" },
    { field: "lastSeenAt", title: "Last seen", kind: "time" },
    { field: "network", title: "Network", isNullIfEmpty: true },
    { field: "projectClientId", title: "Project", kind: "id", page: "/clients", isOnPagesOnly: true },
  ],
  shown: {
    list: ["subject", "roles", "signedInAt", "lastSeenAt", "network", "id"],
    page: [],
    question: ["subject", "roles", "signedInAt", "lastSeenAt", "network"],
  },
} as const;

/** Sessions of people with a role on the platform, in the console and in platformctl. */
export const operatorSessions = resource({
  ...signedIn,
  title: "Operator sessions",
  paths: { list: "/sessions/operators" },
  operations: [
    operation({
      verb: "list",
      rpc: rpcs.listOperatorSessions,
      does: "list",
      summary: "List the sessions of people with a role on the platform, newest first.",
      empty: "No operator is signed in.",
      example: "--operators",
    }),
    operation({ ...end, rpc: rpcs.endSessions, example: "--session-id <id>" }),
  ],
});

/** Sessions of people who are members of a project and have no role on the platform. */
export const memberSessions = resource({
  ...signedIn,
  title: "Member sessions",
  paths: { list: "/sessions/members" },
  operations: [
    operation({
      verb: "list",
      rpc: rpcs.listMemberSessions,
      does: "list",
      summary: "List the sessions of a project's members, newest first.",
      empty: "No member of this project is signed in. People with a role on the platform are not listed here.",
      fields: [{ ...projectClient, isRequired: true }],
      example: "--client <client id>",
    }),
    operation({
      ...end,
      rpc: rpcs.endMemberSessions,
      fields: [{ ...projectClient, isRequired: true }],
      example: "--session-id <id> --client <client id>",
    }),
  ],
});
