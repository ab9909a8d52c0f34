/**
 * The names of the platform's services. They are copied from the public contract, because the contract is not part of a
 * service's image.
 */
// rendered from libs/contracts/src/services.ts: names
export const serviceNames = ["identity", "files", "notify", "events", "ads"] as const;
// end of rendered lines

export type ServiceName = (typeof serviceNames)[number];
