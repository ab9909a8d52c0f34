/**
 * Number of characters of event data that the process decodes or evaluates before it serves other calls. It takes
 * about a millisecond.
 */
export const dataPerTurn = 256 * 1024;

/** Called with the length of each event's data. Resolves when the loop may continue with its next event. */
export type ReadingPace = (length: number) => Promise<void>;

/**
 * Paces all loops over large events in a process. The driver decodes the events of a batch without returning to the
 * event loop, so a page of 4 MiB would delay every other call. All loops share one limit per tick of the event loop:
 * with separate limits, eight streams of one consumer would delay everyone eight times as long. Loops that wait
 * continue in the order of their arrival, one in each tick.
 */
export function createReadingPace(): ReadingPace {
  const waiting: (() => void)[] = [];
  let read = 0;
  let isScheduled = false;
  const schedule = (): void => {
    if (isScheduled) return;
    isScheduled = true;
    setImmediate(() => {
      isScheduled = false;
      read = 0;
      waiting.shift()?.();
      if (waiting.length > 0) schedule();
    });
  };
  return async (length) => {
    read += length;
    schedule();
    if (read >= dataPerTurn) await new Promise<void>((resolve) => waiting.push(resolve));
  };
}

/** The instance that all loops of this process share. */
export const readingPace: ReadingPace = createReadingPace();
