/**
 * The names of the platform's services. This is a copy, because the public contract is not part of a service's image.
 */
// rendered from libs/contracts/src/services.ts: names
export const serviceNames = ["identity", "files", "notify", "events", "ads"] as const;
// end of rendered lines

export type ServiceName = (typeof serviceNames)[number];
