import type { Candidates } from "./candidates.ts";
import { CommandError } from "./errors.ts";
import type { StoredDocument } from "./stored-document.ts";
import type { Doc } from "./values.ts";

/** Time slice of a long scan before other commands are served, in milliseconds. */
const turnMs = 1;
/**
 * Limits of what is examined between two reads of the clock, by documents and by bytes, because a single document may have 16 MB. The limit that is reached
 * first applies.
 */
export const checkedEvery = 64;
export const checkedBytes = 256 * 1024;

type ScanOptions = {
  /** Null if every document matches, so that none has to be parsed. */
  readonly matches: ((doc: Doc) => boolean) | null;
  /** Top-level fields that `matches` reads; null if it may read any field. */
  readonly fields: ReadonlySet<string> | null;
  /** The scan ends with this many matches. */
  readonly matchesMax: number;
  readonly examined?: (() => void) | undefined;
  /** Time, by performance.now(), at which the scan fails with MaxTimeMSExpired. */
  readonly untilMs?: number | undefined;
  /** The clock; the default is performance.now(). */
  readonly now?: (() => number) | undefined;
};

/** Finds the matching documents, either immediately or in time slices between which other commands are served. */
export class Scan {
  readonly #options: ScanOptions;
  readonly #candidates: Candidates;
  #found: StoredDocument[] = [];
  #copied = 0;
  readonly #now: () => number;

  constructor(candidates: Candidates, options: ScanOptions) {
    this.#candidates = candidates;
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
  }

  /** Finds the stored matches in order to change them. No other command is served meanwhile. */
  atOnce(): StoredDocument[] {
    this.#run(Number.POSITIVE_INFINITY);
    return this.#found;
  }

  /**
   * Finds the matches; returns a promise if the scan is long. As in MongoDB, other commands are served meanwhile and may change documents. Each match is
   * returned as it was when it was examined, and documents that are added after the first time slice are not included.
   */
  inTurns(): StoredDocument[] | Promise<StoredDocument[]> {
    if (this.#run(this.#now() + turnMs)) return this.#found;
    this.#candidates.pin();
    return this.#goOn();
  }

  async #goOn(): Promise<StoredDocument[]> {
    do {
      for (; this.#copied < this.#found.length; this.#copied += 1) {
        this.#found[this.#copied] = (this.#found[this.#copied] as StoredDocument).copy();
      }
      await nextTurn();
    } while (!this.#run(this.#now() + turnMs));
    return this.#found;
  }

  /** @returns whether the scan has ended; false if its time slice is over */
  #run(endsAtMs: number): boolean {
    const { matches, fields, matchesMax, examined, untilMs = Number.POSITIVE_INFINITY } = this.#options;
    const isTimed = Math.min(endsAtMs, untilMs) < Number.POSITIVE_INFINITY;
    let count = 0;
    let bytes = 0;
    while (this.#found.length < matchesMax) {
      const { value: stored, done } = this.#candidates.next();
      if (done === true) return true;
      examined?.();
      if (matches === null || matches(stored.read(fields))) this.#found.push(stored);
      count += 1;
      bytes += stored.bytes.byteLength;
      if (!isTimed || (count < checkedEvery && bytes < checkedBytes)) continue;
      count = 0;
      bytes = 0;
      const nowMs = this.#now();
      if (nowMs > untilMs) throw timeLimitExceeded();
      if (nowMs > endsAtMs) return this.#found.length >= matchesMax;
    }
    return true;
  }
}

/** Throws MaxTimeMSExpired if this time, by performance.now(), has passed. */
export function assertInTime(untilMs: number): void {
  if (performance.now() > untilMs) throw timeLimitExceeded();
}

const timeLimitExceeded = (): CommandError => new CommandError(50, "operation exceeded time limit");

/** Calls `next` with a result: immediately if the result is available, otherwise when its promise resolves. */
export function whenFound<T, R>(found: T | Promise<T>, next: (found: T) => R): R | Promise<R> {
  return found instanceof Promise ? found.then(next) : next(found);
}

const waiting: (() => void)[] = [];

/** Lets long scans take turns, so that another command waits for only one time slice, however many scans there are. */
function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve);
    if (waiting.length === 1) setImmediate(giveTurn);
  });
}

function giveTurn(): void {
  waiting.shift()?.();
  if (waiting.length > 0) setImmediate(giveTurn);
}
