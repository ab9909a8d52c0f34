/** The scopes a Project Credential can carry. Closed vocabulary: the operation table and the issuing of credentials both draw on it. */
export const scopes = [
  "notifications:write",
  "clients:read",
  "audit:write",
  "identity-migrations:write",
  "files:write",
  "files:read",
  "events:write",
  "schedules:write",
] as const;

export type Scope = (typeof scopes)[number];
