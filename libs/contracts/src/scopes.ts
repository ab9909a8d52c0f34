/** The scopes of Project Credentials. Closed vocabulary of the operation table and of issuing credentials. */
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
