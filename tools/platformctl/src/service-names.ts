/** The services that have commands. */
export const serviceNames = ["identity", "files", "notify", "events", "ads"] as const;
export type ServiceName = (typeof serviceNames)[number];
