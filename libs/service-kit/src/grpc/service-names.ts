// Rendered from libs/contracts/src/services.ts by `npm run generate`: the public contract is no part of a service's image.

/** The names of the platform's services. */
export const serviceNames = ["identity", "files", "notify", "events", "ads"] as const;

export type ServiceName = (typeof serviceNames)[number];
