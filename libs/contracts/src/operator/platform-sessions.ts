import { PlatformSessionSchema } from "@platform/proto/identity/v1/identity_admin";
import { resource } from "./resource.ts";

/**
 * Sessions of a Platform Account at projects. They are listed with their account, and ended one by one or all together,
 * for which platformctl and the console have hand-written code.
 */
export const platformSessions = resource({
  name: "sessions",
  noun: "session",
  title: "Sessions",
  row: PlatformSessionSchema,
  subject: { field: "sessionId", option: "session-id", explanation: "id of the session, as listed" },
  paths: { list: "/accounts/find", one: "/sessions" },
  columns: [
    { field: "id", title: "Session", kind: "id" },
    { field: "accountId", title: "Account", kind: "id", page: "/accounts" },
    { field: "createdAt", title: "Opened", kind: "time" },
    { field: "authenticatedAt", title: "Password given", kind: "time" },
    { field: "lastSeenAt", title: "Last seen", kind: "time" },
    { field: "expiresAt", title: "Expires", kind: "time" },
  ],
  shown: { list: ["id", "createdAt", "lastSeenAt", "expiresAt"], page: [], question: [] },
  operations: [],
});
