import type { Logger } from "@platform/kit/process/telemetry";
import type { Metering, MeteringRequest, Settlement } from "./metering.ts";

/** Settles claims, and retries settlements that Redis has not accepted. */
export type Settlements = {
  /** Returns without waiting for Redis, because the response to the caller does not depend on it. */
  settle(request: MeteringRequest, settlement: Settlement): void;
  /** Returns the number of settlements that Redis has not accepted yet. */
  owed(): number;
  /** Tries the pending settlements one last time. */
  close(): Promise<void>;
};

/**
 * Interval between retries of pending settlements, in milliseconds. It is short enough that a repeated request finds
 * its record within a second after Redis is available again.
 */
const retryEveryMs = 500;
const retriedAtOnce = 512;

/**
 * Maximum number of pending settlements, whose records take a few MB. If one is dropped, its claim can be taken over
 * once its lease has ended.
 */
const owedMax = 5_000;
const owedMsMax = 600_000;

type Owed = { readonly request: MeteringRequest; readonly settlement: Settlement; readonly sinceMs: number };

/**
 * Creates the settlements of a process. If Redis becomes unavailable while a claim is in progress, retries are needed:
 * otherwise the claim would hold its key until the end of its lease, although this process knows the outcome. Settling
 * twice is safe. A claim is settled by its id, so a claim that was already settled or taken over does not change.
 */
export function createSettlements(
  metering: Pick<Metering, "settle">,
  logger: Pick<Logger, "warn" | "info">,
  nowMs: () => number = () => performance.now(),
): Settlements {
  const owed = new Map<string, Owed>();
  let timer: NodeJS.Timeout | null = null;

  const owe = (id: string, entry: Owed, error: unknown): void => {
    if (owed.size === 0)
      logger.warn({ err: error }, "claims could not be settled; they are sent again until Redis accepts them");
    // The settlement is moved to the end, so that one that Redis always rejects does not block the others.
    owed.delete(id);
    owed.set(id, entry);
    const [oldest] = owed.keys();
    if (owed.size > owedMax && oldest !== undefined) owed.delete(oldest);
    timer ??= setTimeout(retry, retryEveryMs).unref();
  };

  const send = async (id: string, entry: Owed): Promise<void> => {
    try {
      await metering.settle(entry.request, entry.settlement);
      if (owed.delete(id) && owed.size === 0) logger.info("all claims have been settled");
    } catch (error) {
      if (nowMs() - entry.sinceMs < owedMsMax) owe(id, entry, error);
      else owed.delete(id);
    }
  };

  const sendOwed = async (): Promise<void> => {
    await Promise.all([...owed].slice(0, retriedAtOnce).map(([id, entry]) => send(id, entry)));
  };
  const retry = (): void => {
    void sendOwed().finally(() => {
      timer = owed.size === 0 ? null : setTimeout(retry, retryEveryMs).unref();
    });
  };

  return {
    settle: (request, settlement) => {
      if (request.idempotency !== null)
        void send(request.idempotency.claimId, { request, settlement, sinceMs: nowMs() });
    },
    owed: () => owed.size,
    close: async () => {
      if (timer !== null) clearTimeout(timer);
      await sendOwed();
      if (timer !== null) clearTimeout(timer);
    },
  };
}
