/** Bodies up to this many bytes need no room: as many of them as may be in flight at all are little. */
export const smallBodyBytes = 64 * 1024;

/** Room for the large bodies of requests in flight. */
export type BodyRoom = {
  /**
   * Waits until a body of the caller has room, so that it may be read.
   * @param bytes as many as it may have at most
   * @returns what gives the room back, to be called once when the request is over; null when there was none in time, or the signal aborted
   */
  take(caller: string, bytes: number, signal: AbortSignal): Promise<(() => void) | null>;
};

type BodyRoomOptions = {
  /** Bytes of all large bodies at once. Whoever is alone may have half of them, so that another always finds some. */
  readonly bytesMax: number;
  /** How long a body may wait, in milliseconds. */
  readonly waitMs: number;
};

/** Resolves the wait of one body: true when it has its room. */
type Waiting = { readonly bytes: number; readonly settle: (hasRoom: boolean) => void };

/**
 * Bounds what the bodies of requests in flight take of the process's memory. A body costs several times its length while its request is
 * worked on (as bytes, as text, as values, as the message to the service), so counting requests alone would let a thousand of the largest end
 * the process. What waits is not read: it stays with the sender. Callers are served in turn, each its own bodies in their order.
 */
export function createBodyRoom({ bytesMax, waitMs }: BodyRoomOptions): BodyRoom {
  const ownMax = bytesMax / 2;
  const held = new Map<string, number>();
  const queues = new Map<string, Waiting[]>();
  let used = 0;

  const heldBy = (caller: string): number => held.get(caller) ?? 0;
  /** One that is larger than all a caller may have comes in when the caller has nothing else there. */
  const hasOwnRoom = (caller: string, bytes: number): boolean =>
    heldBy(caller) === 0 || heldBy(caller) + bytes <= ownMax;
  const hasRoom = (bytes: number): boolean => used === 0 || used + bytes <= bytesMax;

  const hold = (caller: string, bytes: number): void => {
    used += bytes;
    held.set(caller, heldBy(caller) + bytes);
  };

  const giveBack = (caller: string, bytes: number): void => {
    used -= bytes;
    const rest = heldBy(caller) - bytes;
    if (rest > 0) held.set(caller, rest);
    else held.delete(caller);
    while (serveOne());
  };

  /** The first caller in turn that has not all it may have. Others do not overtake it, or its larger bodies would never come in. */
  const serveOne = (): boolean => {
    for (const [caller, queue] of queues) {
      const [first] = queue;
      if (first === undefined || !hasOwnRoom(caller, first.bytes)) continue;
      if (!hasRoom(first.bytes)) return false;
      remove(caller, first);
      const rest = queues.get(caller);
      if (rest !== undefined) {
        // To the end of the round.
        queues.delete(caller);
        queues.set(caller, rest);
      }
      hold(caller, first.bytes);
      first.settle(true);
      return true;
    }
    return false;
  };

  const remove = (caller: string, waiting: Waiting): void => {
    const queue = queues.get(caller);
    const at = queue?.indexOf(waiting) ?? -1;
    if (at >= 0) queue?.splice(at, 1);
    if (queue?.length === 0) queues.delete(caller);
  };

  const wait = async (caller: string, bytes: number, signal: AbortSignal): Promise<boolean> => {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const waiting: Waiting = { bytes, settle: resolve };
    const queue = queues.get(caller);
    if (queue === undefined) queues.set(caller, [waiting]);
    else queue.push(waiting);
    const leave = (): void => {
      remove(caller, waiting);
      resolve(false);
      // What it stood before may fit.
      while (serveOne());
    };
    const timer = setTimeout(leave, waitMs);
    signal.addEventListener("abort", leave, { once: true });
    const isLetIn = await promise;
    clearTimeout(timer);
    signal.removeEventListener("abort", leave);
    return isLetIn;
  };

  /** Does somebody wait for room that others hold, and not for room of its own? Then it is before whoever comes now. */
  const isAnyoneNext = (): boolean =>
    queues.entries().some(([caller, [first]]) => first !== undefined && hasOwnRoom(caller, first.bytes));

  return {
    take: async (caller, bytes, signal) => {
      if (signal.aborted) return null;
      const isNext = !queues.has(caller) && hasOwnRoom(caller, bytes) && hasRoom(bytes) && !isAnyoneNext();
      if (isNext) hold(caller, bytes);
      else if (!(await wait(caller, bytes, signal))) return null;
      return () => giveBack(caller, bytes);
    },
  };
}
