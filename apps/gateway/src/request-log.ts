import { randomBytes } from "node:crypto";
import { type RepeatedJob, repeat } from "@platform/kit/jobs/pacing";
import type { Logger } from "@platform/kit/process/telemetry";
import { createReportQueue } from "@platform/operator-plane/usage";

/** One entry of the request log. It contains no body, no query string and no address. */
export type LoggedRequest = {
  /** Time of the response. */
  readonly at: Date;
  readonly operation: string;
  readonly method: string;
  readonly status: number;
  /** Error code; null for a success. */
  readonly code: string | null;
  readonly durationMs: number;
  readonly credentialId: string;
  readonly network: string;
  readonly correlationId: string;
  /** First 16 hex characters of the SHA-256 of its Idempotency-Key, or null. */
  readonly idempotencyKeyHash: string | null;
  readonly replayed: boolean;
};

/** The entries of a client in a minute, and the number of requests that were not logged because of the limits. */
export type LoggedMinute = {
  readonly clientId: string;
  readonly minute: Date;
  readonly requests: readonly LoggedRequest[];
  readonly dropped: number;
};

/** Entries that one process logged since its previous report. */
export type RequestReport = {
  /** Identifies the process; 32 lowercase hex characters. */
  readonly reporterId: string;
  /** Sequence number of the report, from 1. */
  readonly sequence: number;
  /** The entries. There is at most one element for each client and minute. */
  readonly minutes: readonly LoggedMinute[];
  /** All entries before this time have been reported. Null while later reports still contain some of them. */
  readonly reportedUntil: Date | null;
  /** True if the process will log nothing more. */
  readonly isLast: boolean;
};

/** The client of the request, and the share of its successful requests that are logged. */
export type LoggedClient = {
  readonly id: string;
  readonly environment: string;
  /** The client's own success ratio, from 0 to 1; null for the platform's default. */
  readonly successRatio: number | null;
};

/** Logs every rejected and failed request and a share of the successful ones, and reports the entries. */
export type RequestLog = {
  /**
   * Returns whether a request should be added. It returns false for a successful request that is not sampled, and for a
   * request beyond the limits, which is counted as dropped. Call it first, so that an entry is created only if it is
   * kept.
   */
  wants(client: LoggedClient, isSuccess: boolean): boolean;
  /** Adds a request for which `wants` returned true. */
  add(clientId: string, request: LoggedRequest): void;
  /** Sends the last report. */
  close(): Promise<void>;
};

/** Limits of one gateway process, in entries. */
export const requestLogBounds = {
  /** Entries of all clients per second, which are about 300 kB of messages. */
  perSecond: 1_000,
  /** Entries of one client per second, so that a flooding client leaves space for the others. */
  perClient: 250,
  /** Maximum number of successful entries of one client per second. They never displace failed ones. */
  successesPerClient: 100,
  /** Entries that may wait while identity-svc is unavailable, which take about 12 MB. */
  waiting: 20_000,
  /** Pairs of client and minute that may wait. */
  waitingMinutes: 10_000,
  /** Entries in one report, which are about 600 kB. */
  perReport: 2_000,
  /** Entries of a client and minute in one report. The receiver adds all of them or none. */
  perAddition: 250,
} as const;

/** After this many rounds without entries, an empty report is sent to show that the process is still running. */
const silentRoundsMax = 10;
const minuteMs = 60_000;

type Collected = { readonly clientId: string; readonly minute: Date; requests: LoggedRequest[]; dropped: number };

/**
 * Creates a request log that reports every `everyMs`. A failed report is repeated unchanged, and later entries are part
 * of the next report. Entries that the receiver rejects are dropped.
 * @param options.successRatio share of successful requests that are logged outside of development and sandbox, where
 * all are logged
 */
export function createRequestLog(
  record: (report: RequestReport) => Promise<void>,
  options: {
    readonly everyMs: number;
    readonly successRatio: number;
    readonly clock: () => Date;
    readonly random?: () => number;
    readonly onDropped: (count: number) => void;
    readonly logger: Logger;
  },
): RequestLog {
  const { clock, random = Math.random, onDropped, successRatio, logger } = options;
  const reporterId = randomBytes(16).toString("hex");
  let collected = new Map<string, Collected>();
  let waiting = 0;
  const queue = createReportQueue<LoggedMinute, { readonly reportedUntil: Date; readonly isLast: boolean }>({
    send: ({ items, end }, sequence) => {
      const { reportedUntil = null, isLast = false } = end ?? {};
      return record({ reporterId, sequence, minutes: items, reportedUntil, isLast });
    },
    onRefused: (minutes, error) => {
      logger.error({ err: error }, "entries of the request log were rejected by identity-svc; they are dropped");
      onDropped(requestsOf(minutes));
    },
    onDone: (minutes) => {
      waiting -= requestsOf(minutes);
    },
  });
  let silentRounds = silentRoundsMax;
  let isFailing = false;
  let second = { at: 0, total: 0, clients: new Map<string, { all: number; successes: number }>() };

  const collectedOf = (clientId: string, at: Date): Collected | null => {
    const beganMs = at.getTime() - (at.getTime() % minuteMs);
    const key = `${clientId} ${beganMs}`;
    const known = collected.get(key);
    if (known !== undefined) return known;
    if (collected.size >= requestLogBounds.waitingMinutes) return null;
    const made: Collected = { clientId, minute: new Date(beganMs), requests: [], dropped: 0 };
    collected.set(key, made);
    return made;
  };

  /** Reserves an entry in the current second. @returns false if the limit is reached */
  const takeRoom = (clientId: string, nowMs: number, isSuccess: boolean): boolean => {
    const now = Math.floor(nowMs / 1_000);
    if (now !== second.at) second = { at: now, total: 0, clients: new Map() };
    const { perSecond, perClient, successesPerClient } = requestLogBounds;
    const own = second.clients.getOrInsertComputed(clientId, () => ({ all: 0, successes: 0 }));
    if (waiting >= requestLogBounds.waiting || second.total >= perSecond || own.all >= perClient) return false;
    if (isSuccess && own.successes >= successesPerClient) return false;
    second.total += 1;
    own.all += 1;
    if (isSuccess) own.successes += 1;
    return true;
  };
  const isOfShare = ({ environment, successRatio: own }: LoggedClient): boolean => {
    const keepsAll = environment === "development" || environment === "sandbox";
    const ratio = own ?? (keepsAll ? 1 : successRatio);
    return ratio >= 1 || random() < ratio;
  };
  const drop = (clientId: string, at: Date): void => {
    const place = collectedOf(clientId, at);
    if (place !== null) place.dropped += 1;
    onDropped(1);
  };

  const report = async (isLast: boolean): Promise<void> => {
    if (queue.isEmpty) {
      silentRounds += 1;
      if (collected.size === 0 && silentRounds < silentRoundsMax && !isLast) return;
      silentRounds = 0;
      const parts = partsOf([...collected.values()]);
      const until = clock();
      const end = { reportedUntil: until, isLast };
      queue.add(parts.map((items, index) => ({ items, end: index === parts.length - 1 ? end : null })));
      collected = new Map();
    }
    await queue.send();
  };
  const round = async (): Promise<void> => {
    try {
      await report(false);
      isFailing = false;
    } catch (error) {
      if (!isFailing)
        logger.warn({ err: error }, "the request log could not be reported; the gateway tries again each second");
      isFailing = true;
    }
  };
  const job: RepeatedJob = repeat("report-requests", options.everyMs, logger, round);

  return {
    wants: (client, isSuccess) => {
      if (isSuccess && !isOfShare(client)) return false;
      const now = clock();
      if (takeRoom(client.id, now.getTime(), isSuccess)) return true;
      drop(client.id, now);
      return false;
    },
    add: (clientId, request) => {
      const place = collectedOf(clientId, request.at);
      if (place === null) return onDropped(1);
      place.requests.push(request);
      waiting += 1;
    },
    close: async () => {
      await job.stop();
      const last = async (): Promise<void> => {
        // If a report has failed, the rest of it is sent first, then the new entries.
        if (!queue.isEmpty) await report(false);
        await report(true);
      };
      await last().catch((error: unknown) =>
        logger.warn({ err: error }, "the last report of the request log could not be delivered"),
      );
    },
  };
}

function requestsOf(minutes: readonly LoggedMinute[]): number {
  return minutes.reduce((sum, { requests }) => sum + requests.length, 0);
}

/** Splits the collected entries into reports, each of which contains a client and minute at most once. */
function partsOf(collected: readonly LoggedMinute[]): LoggedMinute[][] {
  const { perReport, perAddition } = requestLogBounds;
  let part: LoggedMinute[] = [];
  let lines = 0;
  const parts = [part];
  for (const { clientId, minute, requests, dropped } of collected) {
    for (let from = 0; from === 0 || from < requests.length; from += perAddition) {
      const chunk = requests.slice(from, from + perAddition);
      if (from > 0 || (part.length > 0 && lines + chunk.length > perReport)) {
        part = [];
        lines = 0;
        parts.push(part);
      }
      part.push({ clientId, minute, requests: chunk, dropped: from === 0 ? dropped : 0 });
      lines += chunk.length;
    }
  }
  return parts;
}
