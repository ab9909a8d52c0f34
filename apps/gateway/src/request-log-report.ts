import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { newId } from "@platform/kit/process/secrets";
import type { Logger } from "@platform/kit/process/telemetry";
import { optionalTimestamp, steadyNowMs } from "@platform/kit/rpc/client";
import type { GatewayMetrics } from "./gateway-metrics.ts";
import { createRequestLog, type LoggedMinute, type LoggedRequest, type RequestLog } from "./request-log.ts";
import type { Upstreams } from "./upstreams.ts";

const everyMs = 1_000;
const deadlineMs = 10_000;

/** Creates the request log of this process, which reports its entries to identity-svc. */
export function reportRequests(
  { identity }: Pick<Upstreams, "identity">,
  {
    successRatio,
    metrics,
    logger,
  }: {
    readonly successRatio: number;
    readonly metrics: Pick<GatewayMetrics, "requestLogDropped">;
    readonly logger: Logger;
  },
): RequestLog {
  return createRequestLog(
    async ({ reporterId, sequence, minutes, reportedUntil, isLast }) => {
      await identity.requestLog.recordRequests(
        {
          reporterId,
          sequence: BigInt(sequence),
          minutes: minutes.map(minuteMessage),
          ...optionalTimestamp("reportedUntil", reportedUntil),
          isLast,
        },
        {
          context: { correlationId: newId(), operation: "requests", projectClient: null, idempotency: null },
          deadlineMs: steadyNowMs() + deadlineMs,
        },
      );
    },
    {
      everyMs,
      successRatio,
      clock: () => new Date(),
      onDropped: (count) => metrics.requestLogDropped.inc(count),
      logger,
    },
  );
}

const minuteMessage = ({ clientId, minute, requests, dropped }: LoggedMinute) => ({
  projectClientId: clientId,
  minute: timestampFromDate(minute),
  requests: requests.map(requestMessage),
  dropped,
});

const requestMessage = ({ at, code, idempotencyKeyHash, ...rest }: LoggedRequest) => ({
  ...rest,
  at: timestampFromDate(at),
  code: code ?? "",
  idempotencyKeyHash: idempotencyKeyHash ?? "",
});
