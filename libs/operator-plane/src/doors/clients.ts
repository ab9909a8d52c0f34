/** What a service knows about Project Clients: which are disabled, which are erased, and what has changed. */
export type { DisabledClients } from "../clients/disabled-clients.ts";
export { followErasures, reasonOf } from "../clients/follow-erasures.ts";
export { type IdentityChange, identityChangesChannel, readIdentityChange } from "../clients/identity-changes.ts";
