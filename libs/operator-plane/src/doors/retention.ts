/** How long a service keeps records of a client. What other packages may import; a module without a line here is the package's own. */

export { clientCondition, type RetentionScope, type RetentionSweep, startRetention } from "../retention/retention.ts";
export { retentionAdmin } from "../retention/retention-admin.ts";
export { createRetentionStore, type RetentionStore } from "../retention/retention-settings.ts";
