import type { Environment } from "./environment.ts";
import type { QuotaLimits } from "./quota-defaults.ts";

/** A project backend as the platform knows it. */
export type ProjectClient = {
  readonly id: string;
  readonly name: string;
  readonly environment: Environment;
  readonly return_uris: readonly string[];
  /** Quotas set by operators; others have the environment's default. */
  readonly quota_limits: QuotaLimits;
  /** True if platform events are turned on; absent means that they are off. */
  readonly platform_events?: boolean;
  /** The scopes that its credentials may have; absent means all. */
  readonly allowed_scopes?: readonly string[];
  /** The share of successful requests that are logged, from 0 to 1; absent means the environment's default. */
  readonly success_ratio?: number;
  readonly disabled_at: Date | null;
  readonly created_at: Date;
};
