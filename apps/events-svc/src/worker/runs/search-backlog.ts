import type { OperationOfClient, RunCandidate, RunQueue } from "../../store/run-queue.ts";

/** Maximum number of commands of one search. */
const commandsMax = 64;
/**
 * Time in milliseconds for which the operations of a client are known, for each operation, and the maximum for a client
 * with many. This limits the seeks in the operations of one client to a hundred per second. A run of an operation that
 * had none is therefore found up to a second late if it is beyond a full window.
 */
const knownMsEach = 10;
const knownMsMax = 1_000;

/** Operations of a client that had unfinished runs, in their order, and the time until which they count as known. */
type KnownOperations = { readonly operations: readonly OperationOfClient[]; readonly untilMs: number };

type BacklogPermits = {
  /** Returns whether runs of an operation's client may be claimed. */
  readonly isFree: (operation: OperationOfClient) => boolean;
  /** Returns how many runs of an operation may be claimed. */
  readonly freeFor: (operation: OperationOfClient) => number;
};

/**
 * Finds due runs of operations that have permits.
 * @param isWaiting returns whether the runs of an operation are found without a search
 */
export type BacklogSearch = (isWaiting: (operation: OperationOfClient) => boolean) => Promise<RunCandidate[]>;

/**
 * Creates the search for runs that long backlogs of other operations hide. It goes round all clients and operations with
 * unfinished runs, and continues where the previous search ended. Each client costs one index seek, and each operation one
 * more unless the client's operations are known.
 */
export function createBacklogSearch(
  queue: Pick<RunQueue, "findDueOf" | "nextClient" | "nextOperation">,
  { isFree, freeFor }: BacklogPermits,
): BacklogSearch {
  const known = new Map<string, KnownOperations>();
  let commands = 0;

  const nextClient = (clientId: string): Promise<OperationOfClient | null> => {
    commands += 1;
    return queue.nextClient(clientId);
  };
  /** Seeks the operations of a client, and remembers them if it came to the last one. */
  async function* seek(first: OperationOfClient): AsyncGenerator<OperationOfClient> {
    const operations: OperationOfClient[] = [];
    for (let next: OperationOfClient | null = first; next !== null; next = await queue.nextOperation(next)) {
      operations.push(next);
      yield next;
      if (!isFree(next)) return;
      commands += 1;
    }
    const knownMs = Math.min(knownMsMax, knownMsEach * operations.length);
    known.set(first.clientId, { operations, untilMs: performance.now() + knownMs });
  }
  const knownOf = (first: OperationOfClient): readonly OperationOfClient[] | null => {
    const { operations, untilMs } = known.get(first.clientId) ?? { operations: [], untilMs: 0 };
    // If the first operation is a new one, there may be others.
    const isKnown = operations.some(({ operationId }) => operationId === first.operationId);
    return isKnown && performance.now() < untilMs ? operations : null;
  };
  async function* goRound(): AsyncGenerator<OperationOfClient> {
    for (let next = await nextClient(""); next !== null; next = await nextClient(next.clientId))
      yield* knownOf(next) ?? seek(next);
  }
  let round = goRound();

  return async (isWaiting) => {
    const found: RunCandidate[] = [];
    const nowMs = performance.now();
    for (const [clientId, { untilMs }] of known) if (nowMs >= untilMs) known.delete(clientId);
    commands = 0;
    while (commands < commandsMax) {
      const { value: operation, done } = await round.next().catch((error: unknown) => {
        round = goRound();
        throw error;
      });
      if (done === true) {
        round = goRound();
        break;
      }
      const free = isFree(operation) && !isWaiting(operation) ? freeFor(operation) : 0;
      if (free === 0) continue;
      commands += 1;
      found.push(...(await queue.findDueOf(operation, free)));
    }
    return found;
  };
}
