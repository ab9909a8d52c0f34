/** Reports of usage. */

export { createReportQueue } from "../usage/report-queue.ts";
export type { UsageReport } from "../usage/usage-report.ts";
export { createUsageReporter, type UsageReporter } from "../usage/usage-reporter.ts";
