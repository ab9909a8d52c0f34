import { createInterruptibleSleep, type Release, type Taken, takeRoundRobin } from "@platform/kit/jobs/pacing";
import type { LoggedEvent } from "../../domain/domain-event.ts";

/** An event in memory, within the budget. */
export type Loan = {
  /** Returns the event once, so that only the caller keeps it in memory; null if it is missing or was already taken. */
  take(): LoggedEvent | null;
  /** Returns the event's memory to the budget early, once the caller has no reference to it any more. */
  release: Release;
};

/** Loads an event for the duration of `use`. */
export type EventLender = <T>(
  asked: { readonly clientId: string; readonly eventId: string },
  use: (loan: Loan) => Promise<T>,
) => Promise<T>;

/** Maximum bytes of events in concurrent calls. A body has up to 1 MiB, and a worker sends many calls concurrently. */
const lentBytesMax = 64 * 1024 * 1024;
/** Assumed size of an event until the sizes of its client's events are known. */
const eventBytesMax = 1024 * 1024;
/** Events read by one command. */
const readMax = 16;

type Waiting = {
  readonly clientId: string;
  readonly eventId: string;
  resolve(loan: Loan): void;
  reject(error: unknown): void;
};

/**
 * Reads the events of concurrent calls by one command, within a memory budget; further events are read when memory is
 * released. Clients are served round robin. With n active clients, each has at most 1/(n+1) of the budget, so a client
 * whose targets are slow leaves some for the next one. A client without any memory may exceed the total by a quarter.
 */
export function createEventLender(
  read: (ids: readonly string[]) => Promise<Map<string, LoggedEvent>>,
  bytesMax: number = lentBytesMax,
): EventLender {
  const budget = createByteBudget(bytesMax);
  let waiting: Waiting[] = [];
  let turn = 0;
  let isReading = false;
  const { sleep, wake } = createInterruptibleSleep();

  const readGroup = async (group: readonly Taken<Waiting>[]): Promise<void> => {
    try {
      const found = await read([...new Set(group.map(({ item }) => item.eventId))]);
      for (const { item, release } of group) {
        const logged = found.get(item.eventId) ?? null;
        const loan = createLoan(logged, budget.take(item.clientId, bytesOf(logged)), wake);
        release();
        item.resolve(loan);
      }
    } catch (error) {
      for (const { item, release } of group) {
        release();
        item.reject(error);
      }
    }
  };
  const readAll = async (): Promise<void> => {
    // The calls of one claim start within a tick.
    await sleep(0);
    while (waiting.length > 0) {
      turn += 1;
      const group = takeRoundRobin(waiting, {
        queueOf: ({ clientId }) => clientId,
        acquire: ({ clientId }) => budget.reserve(clientId),
        most: readMax,
        first: turn,
      });
      if (group.length === 0) {
        await sleep(1_000);
        continue;
      }
      const taken = new Set(group.map(({ item }) => item));
      waiting = waiting.filter((item) => !taken.has(item));
      await readGroup(group);
    }
    isReading = false;
  };
  return async ({ clientId, eventId }, use) => {
    const loan = await new Promise<Loan>((resolve, reject) => {
      waiting.push({ clientId, eventId, resolve, reject });
      if (isReading) return;
      isReading = true;
      void readAll();
    });
    try {
      return await use(loan);
    } finally {
      loan.release();
    }
  };
}

function createLoan(logged: LoggedEvent | null, release: Release, onReleased: () => void): Loan {
  let kept = logged;
  return {
    take: () => {
      const taken = kept;
      kept = null;
      return taken;
    },
    release: () => {
      kept = null;
      release();
      onReleased();
    },
  };
}

/** Bytes lent by client. */
function createByteBudget(bytesMax: number) {
  const lent = new Map<string, number>();
  /** Size of the client's last event, which the next one is expected to have. */
  const expected = new Map<string, number>();
  let total = 0;
  const take = (clientId: string, bytes: number): Release => {
    lent.set(clientId, (lent.get(clientId) ?? 0) + bytes);
    total += bytes;
    let isReleased = false;
    return () => {
      if (isReleased) return;
      isReleased = true;
      total -= bytes;
      const left = (lent.get(clientId) ?? 0) - bytes;
      if (left > 0) lent.set(clientId, left);
      else {
        lent.delete(clientId);
        expected.delete(clientId);
      }
    };
  };
  return {
    /** Reserves the bytes of an event that was read. */
    take: (clientId: string, bytes: number): Release => {
      expected.set(clientId, bytes);
      return take(clientId, bytes);
    },
    /** Reserves the bytes that an event will probably need, or returns null if the client has no memory left. */
    reserve: (clientId: string): Release | null => {
      const bytes = expected.get(clientId) ?? Math.min(eventBytesMax, bytesMax / 4);
      const held = lent.get(clientId) ?? 0;
      const clients = lent.size + (held === 0 ? 1 : 0);
      if (held > 0 && held + bytes > bytesMax / (clients + 1)) return null;
      if (total + bytes > bytesMax * (held === 0 ? 1.25 : 1)) return null;
      return take(clientId, bytes);
    },
  };
}

/** At least 1, so that a client with an empty loan still counts as one. */
const bytesOf = (logged: LoggedEvent | null): number => Math.max(1, logged?.event.data_json.length ?? 0);
