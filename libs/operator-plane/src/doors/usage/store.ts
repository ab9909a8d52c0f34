/** Counts of usage on a service's database. What other packages may import; a module without a line here is the package's own. */
export { usageAdmin } from "../../usage/usage-admin.ts";
export { createUsageStore, type UsageStore } from "../../usage/usage-counts.ts";
