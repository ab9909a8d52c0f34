import { setImmediate as nextTurn } from "node:timers/promises";

/** Characters of event data that a loop decodes or evaluates before the process turns to other calls: about a millisecond of work. */
export const dataPerTurn = 256 * 1024;

/**
 * The pace of a loop over large events. The driver decodes the events of a batch one after another without returning to the event loop, so that a
 * page of 4 MiB would delay every other call of the process.
 * @returns is called with the length of each event's data, and resolves after other work had its turn once `dataPerTurn` is reached
 */
export function createReadingPace(): (length: number) => Promise<void> {
  let read = 0;
  return async (length) => {
    read += length;
    if (read < dataPerTurn) return;
    read = 0;
    await nextTurn();
  };
}
