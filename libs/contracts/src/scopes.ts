/**
 * The scopes of Project Credentials, a closed vocabulary. The operation table and the issuing of credentials use it.
 * Each scope has the form `resource:act` in lower-case letters, which identity-svc requires.
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
