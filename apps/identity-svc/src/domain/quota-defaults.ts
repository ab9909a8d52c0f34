import { quotaWindows } from "@platform/quota/quota-windows";
import { type Environment, environments } from "./environment.ts";

/** Limits by the name of the resource. */
export type QuotaLimits = Readonly<Record<string, number>>;

/** Limits of each environment's Project Clients for which no operator has set another limit. */
export type QuotaDefaults = Readonly<Record<Environment, QuotaLimits>>;

const gibibyte = 1024 ** 3;

const base: QuotaLimits = {
  api_traffic: 60_000,
  storage_bytes: 10 * gibibyte,
  deliveries: 100_000,
  events: 1_000_000,
  scheduled_invocations: 100_000,
  realtime_connections: 1_000,
  payment_transactions: 10_000,
  audit_retention: 10_000_000,
};

/** Default quotas of an installation. */
export const builtInQuotaDefaults: QuotaDefaults = {
  development: { ...base, api_traffic: 6_000, storage_bytes: 5 * gibibyte },
  sandbox: { ...base, api_traffic: 6_000 },
  staging: base,
  production: base,
};

/** Returns whether `limit` is a valid quota. */
export function isQuotaLimit(limit: number): boolean {
  return Number.isSafeInteger(limit) && limit >= 1;
}

/**
 * Applies configured limits over the built-in ones.
 * @param overrides by environment and resource, or by resource alone for every environment
 * @throws Error that describes the problem in them
 */
export function overlayQuotaDefaults(overrides: Record<string, number | Record<string, number>>): QuotaDefaults {
  const merged: Record<Environment, Record<string, number>> = {
    development: { ...builtInQuotaDefaults.development },
    sandbox: { ...builtInQuotaDefaults.sandbox },
    staging: { ...builtInQuotaDefaults.staging },
    production: { ...builtInQuotaDefaults.production },
  };
  const setLimit = (environment: Environment, resource: string, limit: number): void => {
    if (!(resource in quotaWindows)) throw new Error(`unknown quota resource "${resource}"`);
    if (!isQuotaLimit(limit)) throw new Error(`the limit of "${resource}" must be an integer of at least 1`);
    merged[environment][resource] = limit;
  };
  for (const [name, value] of Object.entries(overrides)) {
    if (typeof value === "number") {
      for (const environment of environments) setLimit(environment, name, value);
    } else {
      const environment = environments.find((candidate) => candidate === name);
      if (environment === undefined) throw new Error(`"${name}" is neither an environment nor a resource with a limit`);
      for (const [resource, limit] of Object.entries(value)) setLimit(environment, resource, limit);
    }
  }
  return merged;
}

/** A client's effective limits: its environment's defaults, overridden by operators' settings. */
export function effectiveQuotaLimits(
  defaults: QuotaDefaults,
  client: { environment: Environment; quota_limits: QuotaLimits },
): QuotaLimits {
  return { ...defaults[client.environment], ...client.quota_limits };
}
