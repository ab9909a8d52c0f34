/** Project Clients as a service knows them: disabled ones, erasures, changes. */
export type { DisabledClients } from "../clients/disabled-clients.ts";
export { followErasures, reasonOf } from "../clients/follow-erasures.ts";
export { type IdentityChange, identityChangesChannel, readIdentityChange } from "../clients/identity-changes.ts";
