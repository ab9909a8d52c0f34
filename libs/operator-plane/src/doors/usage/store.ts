/** Usage counts in a service's database. */
export { createErasedClients } from "../../usage/erased-clients.ts";
export { usageAdmin } from "../../usage/usage-admin.ts";
export { createUsageStore } from "../../usage/usage-counts.ts";
