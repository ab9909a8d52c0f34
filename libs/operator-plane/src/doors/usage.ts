/** Reports of usage. */
export { createUsageReporter, type UsageReporter } from "../usage/usage-reporter.ts";
