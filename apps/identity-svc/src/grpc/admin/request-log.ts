import { setTimeout as delay } from "node:timers/promises";
import { timestampDate, timestampFromDate } from "@bufbuild/protobuf/wkt";
import { isUuid } from "@platform/kit/process/secrets";
import { dateOrNull } from "@platform/kit/rpc/client";
import { type Implementation, implementForOperators, type ServedService } from "@platform/kit/rpc/server";
import { invalidRequest } from "@platform/operator-plane/operators";
import { type RequestFilter, RequestLogAdminService } from "@platform/proto/identity/v1/request_log_admin";
import { type RequestLine, readStatusRange } from "../../domain/request-line.ts";
import type { IdentityContext } from "../../identity-context.ts";
import { cursorOf, type RequestLineFilter, readPlace } from "../../store/request-log-reads.ts";

const [limitDefault, limitMax] = [50, 200];
const dayMs = 86_400_000;
const summaryDaysMax = 7;
/** Interval at which followers of the log receive new lines. Gateways report every second. */
const followMs = 500;

/** RPCs with which operators and members look up what happened to a request. */
export function requestLogAdmin({
  requestLog,
  clock,
  closing,
}: Pick<IdentityContext, "requestLog" | "clock" | "closing">): ServedService {
  const implementation: Implementation<typeof RequestLogAdminService> = {
    listRequests: async ({ filter, limit, cursor }) => {
      if (limit > limitMax) throw invalidRequest("/limit", `at most ${limitMax}`);
      const after = cursor === "" ? null : readPlace(cursor);
      if (cursor !== "" && after === null) throw invalidRequest("/cursor", "not a cursor of this list");
      const wanted = filterOf(filter);
      const { lines, last } = await requestLog.list(wanted, limit === 0 ? limitDefault : limit, after);
      return {
        requests: lines.map((line) => ({
          ...lineMessage(line),
          projectClientId: wanted.clientId === null ? line.project_client_id : "",
        })),
        nextCursor: last === null ? "" : cursorOf(last),
      };
    },
    summarizeRequests: async ({ projectClientId, since }) => {
      const clientId = requireClientId(projectClientId);
      const now = clock();
      const from = dateOrNull(since) ?? new Date(now.getTime() - dayMs);
      if (now.getTime() - from.getTime() > summaryDaysMax * dayMs + 60_000)
        throw invalidRequest("/since", `must be at most ${summaryDaysMax} days ago`);
      const [minutes, unreported] = await Promise.all([
        requestLog.summarize(clientId, from),
        requestLog.unreported(from, now),
      ]);
      return {
        minutes: minutes.map(({ at, codes, dropped }) => ({ at: timestampFromDate(at), codes: { ...codes }, dropped })),
        unreported: unreported.map((time) => ({ since: timestampFromDate(time) })),
      };
    },
    tailRequests: async function* ({ projectClientId, after }, call) {
      const signal = AbortSignal.any([call.signal, closing]);
      const next = requestLog.follow(requireClientId(projectClientId), dateOrNull(after) ?? clock());
      yield {};
      while (!signal.aborted) {
        for (const line of await next()) yield { request: lineMessage(line) };
        await delay(followMs, null, { signal }).catch(() => {});
      }
    },
  };
  return implementForOperators(RequestLogAdminService, implementation);
}

function requireClientId(text: string): string {
  if (!isUuid(text)) throw invalidRequest("/project_client_id", "must be the UUID of a Project Client");
  return text.toLowerCase();
}

function filterOf(filter: RequestFilter | undefined): RequestLineFilter {
  const {
    projectClientId = "",
    status = "",
    code = "",
    operation = "",
    credentialId = "",
    correlationId = "",
  } = filter ?? {};
  const range = status === "" ? null : readStatusRange(status);
  if (status !== "" && range === null)
    throw invalidRequest("/status", "must be a status such as 404, or a class such as 4xx");
  return {
    clientId: projectClientId === "" ? null : requireClientId(projectClientId),
    status: range,
    code: code || null,
    operation: operation || null,
    credentialId: credentialId || null,
    correlationId: correlationId || null,
    since: filter?.since === undefined ? null : timestampDate(filter.since),
  };
}

function lineMessage(line: RequestLine) {
  return {
    at: timestampFromDate(line.at),
    operation: line.operation,
    method: line.method,
    status: line.status,
    code: line.code ?? "",
    durationMs: line.duration_ms,
    credentialId: line.credential_id,
    network: line.network,
    correlationId: line.correlation_id,
    replayed: line.replayed,
  };
}
