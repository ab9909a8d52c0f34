/** Reports of usage. */
export type { UsageReport } from "../usage/usage-report.ts";
export { createUsageReporter, type UsageReporter } from "../usage/usage-reporter.ts";
