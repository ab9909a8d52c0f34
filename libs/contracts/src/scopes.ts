/**
 * The scopes of Project Credentials. Closed vocabulary of the operation table and of issuing credentials. Each has the form `resource:act` in lower-case
 * letters, because identity-svc issues no credential with another one.
 */
export const scopes = [
  "notifications:write",
  "clients:read",
  "audit:write",
  "identity-migrations:write",
  "files:write",
  "files:read",
  "events:write",
  "schedules:write",
] as const satisfies readonly `${string}:${string}`[];

export type Scope = (typeof scopes)[number];
