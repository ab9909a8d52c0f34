/** How long a service keeps a Project Client's records. */
export { clientCondition, type RetentionScope, type RetentionSweep, startRetention } from "../retention/retention.ts";
export { retentionAdmin } from "../retention/retention-admin.ts";
export { createRetentionStore, type RetentionStore } from "../retention/retention-settings.ts";
