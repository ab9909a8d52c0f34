/** Characters of event data that the process decodes or evaluates before it turns to other calls: about a millisecond of work. */
export const dataPerTurn = 256 * 1024;

/** Is called with the length of each event's data, and resolves when the loop may go on to its next event. */
export type ReadingPace = (length: number) => Promise<void>;

/**
 * Paces all loops over large events in a process. The driver decodes the events of a batch without returning to the event loop, so a page of 4 MiB would
 * delay every other call. The loops share what may be read in one turn of the event loop; with a share each, eight streams that a consumer opens together
 * would delay everyone eight times as long. Waiting loops continue in the order in which they arrived, one in each turn.
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
