import type { Logger } from "@platform/service-kit/process/logger";
import type { GatewayMetrics } from "../gateway-metrics.ts";
import type { LevelOwners } from "../level-owners.ts";
import type { BodyRoom } from "../load/body-room.ts";
import type { Admission } from "../redis/admission.ts";
import type { CredentialCache } from "../redis/credential-cache.ts";
import type { RecordWaiter } from "../redis/idempotency-records.ts";
import type { ReplayRetention } from "../redis/replay-retention.ts";
import type { Upstreams } from "../upstreams.ts";
import { accessLog } from "./access-log.ts";
import { admit } from "./admit.ts";
import { authenticate } from "./authenticate.ts";
import { authorizeScope } from "./authorize-scope.ts";
import { correlationId } from "./correlation-id.ts";
import { cors } from "./cors.ts";
import { deadline } from "./deadline.ts";
import type { Stage } from "./exchange.ts";
import { type AnyHandler, handle } from "./handle.ts";
import { parseRequest } from "./parse-request.ts";
import { renderError } from "./render-error.ts";
import { responseMeta } from "./response-meta.ts";
import type { Door } from "./shed-load.ts";
import { trace } from "./trace.ts";

/** What the stages need. */
export type PipelineDependencies = {
  readonly logger: Logger;
  readonly metrics: GatewayMetrics;
  readonly upstreams: Upstreams;
  readonly credentials: CredentialCache;
  readonly admission: Admission;
  readonly door: Door;
  readonly bodyRoom: BodyRoom;
  readonly waiter: RecordWaiter;
  readonly levelOwners: LevelOwners;
  readonly retention: ReplayRetention;
  readonly handlers: Readonly<Record<string, AnyHandler>>;
  readonly deadlineMs: number;
};

/** The pipeline: one order, the same for every operation that is not proxied. A stage reads the operation's record; a handler never re-checks. */
export function createPipeline(dependencies: PipelineDependencies): readonly Stage[] {
  const { logger, metrics, door, upstreams, credentials, handlers, deadlineMs } = dependencies;
  return [
    cors,
    door.stage,
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
    handle(handlers, upstreams),
  ];
}

/** The pipeline of proxied operations: what they send is judged by the service that gets it. */
export function createProxyPipeline(
  { logger, metrics }: Pick<PipelineDependencies, "logger" | "metrics">,
  forward: Stage,
): readonly Stage[] {
  return [trace, accessLog(logger, metrics), renderError(logger), correlationId, forward];
}
