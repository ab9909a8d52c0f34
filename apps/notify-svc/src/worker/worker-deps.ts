import type { CreateSweep } from "@platform/kit/jobs/work";
import type { Logger } from "@platform/kit/process/telemetry";
import type { DisabledClients } from "@platform/operator-plane/clients";
import type { FailureWatch } from "@platform/operator-plane/platform-events";
import type { AttachedFiles } from "../attached-files.ts";
import type { DerivedTokens } from "../derived-tokens.ts";
import type { RetryRule } from "../domain/delivery.ts";
import type { Senders } from "../providers/senders.ts";
import type { DeliveryQueue } from "../store/delivery-queue.ts";
import type { Stores } from "../store/stores.ts";
import type { DeliveryMetrics } from "./delivery-metrics.ts";
import type { ProfileFollower } from "./follow-profiles.ts";

/** Dependencies of the worker's jobs. */
export type WorkerDeps = {
  readonly stores: Stores;
  readonly queue: DeliveryQueue;
  readonly tokens: DerivedTokens;
  readonly senders: Senders;
  /** The File Objects that are attached to emails. */
  readonly files: Pick<AttachedFiles, "read">;
  /** The disabled Project Clients, whose deliveries wait until they expire. */
  readonly disabledClients: Pick<DisabledClients, "has">;
  /** The sender profiles. Deliveries of disabled profiles wait until they expire. */
  readonly profiles: Pick<ProfileFollower, "isDisabled" | "open">;
  /** Records whether sender profiles work. */
  readonly failures: Pick<FailureWatch, "note">;
  readonly clock: () => Date;
  readonly logger: Logger;
  readonly metrics: DeliveryMetrics;
  readonly retryRule: RetryRule;
  /** How long a bulkhead's circuit breaker is open the first time, in milliseconds. */
  readonly pauseMs: number;
  readonly createSweep: CreateSweep;
  readonly publicBaseUrl: string;
  /** Time that a provider has to respond, in milliseconds. */
  readonly answerMs: number;
};
