import type { CronSchedule } from "./cron-schedule.ts";
import type { StatusReason } from "./status-reason.ts";

/**
 * What happens to a run that is due while an earlier one is in progress: it runs concurrently, is skipped, or runs
 * afterwards.
 */
export const overlapPolicies = ["allow", "skip", "queue"] as const;
export type OverlapPolicy = (typeof overlapPolicies)[number];

/** An endpoint of a Project Backend that the platform calls. Its secret stays in the store, encrypted. */
export type ScheduledOperation = {
  readonly id: string;
  readonly project_client_id: string;
  /** Environment of the client at registration. It decides which URLs may be called. */
  readonly environment: string;
  readonly name: string;
  readonly url: string;
  readonly max_attempts: number;
  readonly status: "active" | "disabled";
  /** The response that disabled the operation. Null if an operator disabled it, or while it is active. */
  readonly status_reason: StatusReason | null;
  readonly schedule: CronSchedule | null;
  readonly overlap: OverlapPolicy;
  /** Names of the headers that are sent with its calls. Their values stay in the store, encrypted. */
  readonly header_names: readonly string[];
  /** Maximum number of calls per second; null if there is no limit. */
  readonly per_second: number | null;
  /** Number of changes to the schedule, the overlap policy and the call settings. */
  readonly revision: number;
  /**
   * The earliest due time for which no run was recorded. Null without a schedule and while the operation is disabled.
   */
  readonly next_due_at: Date | null;
};
