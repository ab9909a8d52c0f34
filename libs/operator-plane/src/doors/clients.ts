/** What a service knows about Project Clients: disabled ones, erasures, changes. What other packages may import; a module without a line here is the package's own. */
export type { DisabledClients } from "../clients/disabled-clients.ts";
export { followErasures, reasonOf } from "../clients/follow-erasures.ts";
export { type IdentityChange, identityChangesChannel, readIdentityChange } from "../clients/identity-changes.ts";
