import { isServiceError, type ServiceError } from "@platform/kit/rpc/errors";

/**
 * A part of a report. `end` is a statement about everything that was reported until then, which the last part of a
 * report makes; null for the other parts.
 */
export type ReportPart<T, E> = { readonly items: readonly T[]; readonly end: E | null };

/** Parts of reports that wait until their receiver has stored them. */
export type ReportQueue<T, E> = {
  readonly isEmpty: boolean;
  add(parts: readonly ReportPart<T, E>[]): void;
  /** Sends the waiting parts in their order. Throws if the receiver is unavailable; the rest then remains. */
  send(): Promise<void>;
};

/**
 * Creates a queue of a process's reports. A part whose response was lost is sent again with the same number. A part
 * that the receiver rejects is halved until only the items remain that the receiver rejects on their own. These are
 * dropped, because the receiver would reject them forever, and everything that is counted later would wait.
 * @param options.send sends a part. Numbers increase from 1, so that the receiver recognizes a repeat.
 * @param options.onRefused is called with the items that are dropped
 * @param options.onDone is called with items that no longer wait, because they were stored or dropped
 */
export function createReportQueue<T, E>(options: {
  readonly send: (part: ReportPart<T, E>, sequence: number) => Promise<void>;
  readonly onRefused: (items: readonly T[], error: ServiceError) => void;
  readonly onDone?: (items: readonly T[]) => void;
}): ReportQueue<T, E> {
  let waiting: readonly ReportPart<T, E>[] = [];
  let sequence = 0;
  /** True if the first part has been sent under the current number. */
  let isFirstNumbered = false;

  const replaceFirst = (parts: readonly ReportPart<T, E>[]): void => {
    waiting = [...parts, ...waiting.slice(1)];
    isFirstNumbered = false;
  };
  const sendFirst = async (first: ReportPart<T, E>): Promise<void> => {
    if (!isFirstNumbered) sequence += 1;
    isFirstNumbered = true;
    try {
      await options.send(first, sequence);
    } catch (error) {
      if (!isServiceError(error, "contract_violation")) throw error;
      if (first.items.length > 1) return replaceFirst(halvesOf(first));
      options.onRefused(first.items, error);
      options.onDone?.(first.items);
      // The statement may be acceptable without the item.
      return replaceFirst(first.items.length === 1 && first.end !== null ? [{ items: [], end: first.end }] : []);
    }
    options.onDone?.(first.items);
    replaceFirst([]);
  };
  return {
    get isEmpty() {
      return waiting.length === 0;
    },
    add: (parts) => {
      waiting = [...waiting, ...parts];
    },
    send: async () => {
      for (let first = waiting[0]; first !== undefined; first = waiting[0]) await sendFirst(first);
    },
  };
}

function halvesOf<T, E>({ items, end }: ReportPart<T, E>): ReportPart<T, E>[] {
  const half = Math.ceil(items.length / 2);
  return [
    { items: items.slice(0, half), end: null },
    { items: items.slice(half), end },
  ];
}
