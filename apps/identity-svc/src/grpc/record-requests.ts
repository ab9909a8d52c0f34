import { timestampDate } from "@bufbuild/protobuf/wkt";
import { isUuid } from "@platform/kit/process/secrets";
import { dateOrNull } from "@platform/kit/rpc/client";
import { ServiceError } from "@platform/kit/rpc/errors";
import type { Implementation } from "@platform/kit/rpc/server";
import type { LoggedMinute as LoggedMinuteMessage, RequestLogService } from "@platform/proto/identity/v1/request_log";
import type { RequestLine } from "../domain/request-line.ts";
import type { IdentityContext } from "../identity-context.ts";
import { additionLinesMax, type LoggedMinute } from "../store/request-log.ts";

type Rpc = Implementation<typeof RequestLogService>["recordRequests"];

/** Stores the requests that a gateway has logged. */
export function recordRequests({ requestLog, clock }: Pick<IdentityContext, "requestLog" | "clock">): Rpc {
  return async ({ reporterId, sequence, minutes, reportedUntil, isLast }) => {
    // The id becomes the name of a field, so its form is restricted.
    if (!/^[0-9a-f]{32}$/.test(reporterId)) throw violation("reporter_id must be 32 lowercase hex characters");
    const report = {
      reporterId,
      sequence: Number(sequence),
      minutes: minutes.map(minuteOf),
      reportedUntil: dateOrNull(reportedUntil),
      isLast,
    };
    await requestLog.record(report, clock());
    return {};
  };
}

function minuteOf({ projectClientId, minute, requests, dropped }: LoggedMinuteMessage): LoggedMinute {
  if (minute === undefined || !isUuid(projectClientId))
    throw violation("a minute must have a Project Client and a time");
  if (requests.length > additionLinesMax) throw violation(`a minute must have at most ${additionLinesMax} requests`);
  return { clientId: projectClientId, minute: timestampDate(minute), lines: requests.map(lineOf), dropped };
}

function lineOf({ at, code, ...rest }: LoggedMinuteMessage["requests"][number]): RequestLine {
  if (at === undefined) throw violation("a request must have a time");
  // The code becomes the name of a field, so its form is restricted.
  if (!/^[a-z_]{0,64}$/.test(code)) throw violation("code must be an error code");
  return {
    at: timestampDate(at),
    operation: rest.operation,
    method: rest.method,
    status: rest.status,
    code: code === "" ? null : code,
    duration_ms: rest.durationMs,
    credential_id: rest.credentialId,
    network: rest.network,
    correlation_id: rest.correlationId,
    idempotency_key_hash: rest.idempotencyKeyHash === "" ? null : rest.idempotencyKeyHash,
    replayed: rest.replayed,
  };
}

const violation = (message: string): ServiceError => new ServiceError("contract_violation", message);
