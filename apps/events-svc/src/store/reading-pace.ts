/**
 * Characters of event data that the process decodes or evaluates before it serves other calls: about a millisecond of
 * work.
 */
export const dataPerTurn = 256 * 1024;

/** Is called with the length of each event's data, and resolves when the loop may go on to its next event. */
export type ReadingPace = (length: number) => Promise<void>;

/**
 * Paces all loops over large events in a process. The driver decodes the events of a batch without returning to the
 * event loop, so a page of 4 MiB would delay every other call. The loops share a limit per tick of the event loop; with
 * a limit each, eight streams of one consumer would delay everyone eight times as long. Waiting loops continue in the
 * order of their arrival, one in each tick.
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

/** The pace of this process. */
export const readingPace: ReadingPace = createReadingPace();
