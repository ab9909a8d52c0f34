/** Reports of usage. What other packages may import; a module without a line here is the package's own. */
export { createUsageReporter, type UsageReporter } from "../usage/usage-reporter.ts";
