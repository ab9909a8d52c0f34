import type { Logger } from "@platform/kit/process/telemetry";
import type { UsageReporter } from "@platform/operator-plane/usage";
import type { AdmissionControl } from "../admission-control/admission-control.ts";
import type { CredentialCache } from "../credential-cache.ts";
import type { GatewayMetrics } from "../gateway-metrics.ts";
import type { GaugeOwners } from "../gauge-owners.ts";
import type { Metering } from "../redis/metering.ts";
import type { RecordWaiter } from "../redis/record-waiter.ts";
import type { Settlements } from "../redis/settlements.ts";
import type { RequestLog } from "../request-log.ts";
import type { Upstreams } from "../upstreams.ts";
import { authenticate, authorizeScope } from "./authenticate.ts";
import { correlationId } from "./correlation-id.ts";
import { deadline } from "./deadline.ts";
import { renderError } from "./errors.ts";
import type { Stage } from "./exchange.ts";
import type { Forward } from "./forward.ts";
import { type AnyHandler, handle } from "./handle.ts";
import { limitRequests } from "./limit-requests.ts";
import { meter } from "./meter.ts";
import { accessLog, trace } from "./observe.ts";
import { parseRequest } from "./parse-request.ts";
import type { ReplayRetention } from "./replay-retention.ts";
import { responseMeta } from "./response-meta.ts";
import type { ValidationThread } from "./validation-thread.ts";

/** Dependencies of the stages. */
export type PipelineDependencies = {
  readonly logger: Logger;
  readonly metrics: GatewayMetrics;
  readonly upstreams: Upstreams;
  readonly credentials: CredentialCache;
  readonly admissionControl: AdmissionControl;
  readonly validationThread: Pick<ValidationThread, "start" | "validate">;
  readonly metering: Pick<Metering, "meter">;
  readonly settlements: Pick<Settlements, "settle">;
  readonly usage: Pick<UsageReporter, "count">;
  readonly credentialUsage: Pick<UsageReporter, "count">;
  readonly requestLog: RequestLog;
  readonly waiter: RecordWaiter;
  readonly gaugeOwners: GaugeOwners;
  readonly retention: ReplayRetention;
  /** Returns whether Redis is nearly full. */
  readonly isMemoryShort: () => boolean;
  readonly handlers: Readonly<Record<string, AnyHandler>>;
  readonly forward: Forward;
  readonly deadlineMs: number;
};

/**
 * Creates the pipeline, which is the same for every operation. Each stage reads the operation's record, and handlers
 * repeat no check.
 */
export function createPipeline(dependencies: PipelineDependencies): readonly Stage[] {
  const { logger, metrics, usage, requestLog, admissionControl, upstreams, credentials, deadlineMs } = dependencies;
  return [
    limitRequests(admissionControl, metrics, usage, requestLog, dependencies.isMemoryShort),
    trace,
    accessLog(logger, metrics, requestLog),
    renderError(logger, usage),
    responseMeta,
    correlationId,
    deadline(deadlineMs),
    authenticate(credentials, upstreams),
    authorizeScope,
    parseRequest(dependencies),
    meter(dependencies),
    handle(dependencies),
  ];
}
