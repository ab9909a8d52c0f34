import { nextHopDeadline } from "@platform/service-kit/grpc/deadline";
import type { UsageReporter } from "@platform/service-kit/jobs/usage-reporter";
import type { Logger } from "@platform/service-kit/process/logger";
import type { AdmissionControl } from "../admission-control/admission-control.ts";
import type { GatewayMetrics } from "../gateway-metrics.ts";
import type { GaugeOwners } from "../gauge-owners.ts";
import type { Admission } from "../redis/admission.ts";
import type { CredentialCache } from "../redis/credential-cache.ts";
import type { RecordWaiter } from "../redis/idempotency-records.ts";
import type { Upstreams } from "../upstreams.ts";
import { admit } from "./admit.ts";
import { authenticate, authorizeScope } from "./authenticate.ts";
import type { Stage } from "./exchange.ts";
import type { Forward } from "./forward.ts";
import { type AnyHandler, handle } from "./handle.ts";
import { limitRequests } from "./limit-requests.ts";
import { accessLog, trace } from "./observe.ts";
import { parseRequest } from "./parse-request.ts";
import { contractViolation } from "./refusals.ts";
import { renderError } from "./render-error.ts";
import type { ReplayRetention } from "./replay-retention.ts";
import { responseMeta } from "./response-meta.ts";

/** What the stages need. */
export type PipelineDependencies = {
  readonly logger: Logger;
  readonly metrics: GatewayMetrics;
  readonly upstreams: Upstreams;
  readonly credentials: CredentialCache;
  readonly admissionControl: AdmissionControl;
  readonly admission: Admission;
  readonly usage: Pick<UsageReporter, "count">;
  readonly waiter: RecordWaiter;
  readonly gaugeOwners: GaugeOwners;
  readonly retention: ReplayRetention;
  readonly handlers: Readonly<Record<string, AnyHandler>>;
  readonly forward: Forward;
  readonly deadlineMs: number;
};

/** The pipeline, the same for every operation. A stage reads the operation's record; a handler checks nothing again. */
export function createPipeline(dependencies: PipelineDependencies): readonly Stage[] {
  const { logger, metrics, admissionControl, upstreams, credentials, deadlineMs } = dependencies;
  return [
    limitRequests(admissionControl, metrics),
    trace,
    accessLog(logger, metrics),
    renderError(logger),
    responseMeta,
    correlationId,
    deadline(deadlineMs),
    authenticate(credentials, upstreams),
    authorizeScope,
    parseRequest(dependencies),
    admit(dependencies),
    handle(dependencies),
  ];
}

/** Refuses a malformed X-Correlation-ID where the operation declares the header; elsewhere it is ignored. */
const correlationId: Stage = (exchange, next) => {
  if (exchange.isCorrelationIdMalformed && exchange.operation.correlationIdDeclared) {
    throw contractViolation([{ path: "header:X-Correlation-ID", code: "invalid_format", message: "must be a UUID" }]);
  }
  return next();
};

/** Sets the request's deadline, counted from its arrival. Each hop gets the rest, less its reserve. */
function deadline(budgetMs: number): Stage {
  return (exchange, next) => {
    const waitedMs = performance.now() - exchange.startedAtMs;
    exchange.deadlineMs = nextHopDeadline(Date.now() - waitedMs + budgetMs);
    return next();
  };
}
