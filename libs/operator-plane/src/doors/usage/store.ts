/** Counts of usage on a service's database. */
export { usageAdmin } from "../../usage/usage-admin.ts";
export { createUsageStore, type UsageStore } from "../../usage/usage-counts.ts";
