import { createInterruptibleSleep, type Release, type Taken, takeRoundRobin } from "@platform/kit/jobs/pacing";
import type { LoggedEvent } from "../../domain/domain-event.ts";

/** An event in memory, which is counted towards the memory budget. */
export type Loan = {
  /**
   * Returns the event, and drops this reference to it, so that only the caller keeps it in memory. Null if the event
   * does not exist or was taken before.
   */
  take(): LoggedEvent | null;
  /** Returns the event's memory to the budget before `use` ends. The caller must not refer to the event any more. */
  release: Release;
};

/** Loads an event for the duration of `use`. */
export type EventLender = <T>(
  asked: { readonly clientId: string; readonly eventId: string },
  use: (loan: Loan) => Promise<T>,
) => Promise<T>;

/** Assumed size of an event until the sizes of its client's events are known. */
const eventBytesMax = 1024 * 1024;
/** Maximum number of events that one command reads. */
const readMax = 16;

type Waiting = {
  readonly clientId: string;
  readonly eventId: string;
  resolve(loan: Loan): void;
  reject(error: unknown): void;
};

/**
 * Reads the events of concurrent calls by one command, within a memory budget. Further events are read when memory is
 * released. Clients are served round robin. If n clients are active, each has at most 1/(n+1) of the budget, so that
 * a client whose targets are slow leaves some for the next client. A client that holds no memory may exceed the total
 * by up to a quarter.
 */
export function createEventLender(
  read: (ids: readonly string[]) => Promise<Map<string, LoggedEvent>>,
  bytesMax: number,
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
    // The calls of one claim start within one tick of the event loop, so this collects them.
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

/** Creates the budget, which records how many bytes each client has borrowed. */
function createByteBudget(bytesMax: number) {
  const lent = new Map<string, number>();
  /** For each client, the size of its last event, which is the expected size of its next one. */
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

/** Size of an event in the budget. It is at least 1, so that a client that borrows a missing event is still counted. */
const bytesOf = (logged: LoggedEvent | null): number => Math.max(1, logged?.event.data_json.length ?? 0);
