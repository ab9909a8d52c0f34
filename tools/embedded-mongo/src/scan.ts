import { CommandError } from "./errors.ts";
import type { StoredDocument } from "./stored-document.ts";
import type { Doc } from "./values.ts";

/** Time slice of a long scan before other commands are served, in milliseconds. */
const turnMs = 4;
/** Amount that is examined between two reads of the clock, whichever is reached first, because a document may have 16 MB. */
export const checkedEvery = 64;
export const checkedBytes = 256 * 1024;

type ScanOptions = {
  /** Null if every document matches, so that none has to be parsed. */
  readonly matches: ((doc: Doc) => boolean) | null;
  /** The scan ends with this many matches. */
  readonly matchesMax: number;
  readonly examined?: (() => void) | undefined;
  /** When the scan fails with MaxTimeMSExpired, by performance.now(). */
  readonly untilMs?: number | undefined;
  /** Default: performance.now(). */
  readonly now?: (() => number) | undefined;
};

/** Finds the matching ones among documents, either immediately or in turns with other commands. */
export class Scan {
  readonly #options: ScanOptions;
  #candidates: Iterator<StoredDocument>;
  #found: StoredDocument[] = [];
  #copied = 0;
  readonly #now: () => number;

  constructor(candidates: Iterable<StoredDocument>, options: ScanOptions) {
    this.#candidates = candidates[Symbol.iterator]();
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
  }

  /** The stored matches, found without serving other commands: for changing them. */
  atOnce(): StoredDocument[] {
    this.#run(Number.POSITIVE_INFINITY);
    return this.#found;
  }

  /**
   * The matches, as a promise if the scan is long. As in MongoDB, other commands are served meanwhile and may change
   * documents: each match is as it was when it was examined, and documents that are added after the first slice are not
   * included.
   */
  inTurns(): StoredDocument[] | Promise<StoredDocument[]> {
    if (this.#run(this.#now() + turnMs)) return this.#found;
    // Indexes may change between turns, and an iterator over one would then miss documents.
    this.#candidates = [...rest(this.#candidates)][Symbol.iterator]();
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
    const { matches, matchesMax, examined, untilMs = Number.POSITIVE_INFINITY } = this.#options;
    const isTimed = Math.min(endsAtMs, untilMs) < Number.POSITIVE_INFINITY;
    let count = 0;
    let bytes = 0;
    while (this.#found.length < matchesMax) {
      const { value: stored, done } = this.#candidates.next();
      if (done === true) return true;
      examined?.();
      if (matches === null || matches(stored.doc)) this.#found.push(stored);
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

/** Throws MaxTimeMSExpired once a moment by performance.now() has passed. */
export function assertInTime(untilMs: number): void {
  if (performance.now() > untilMs) throw timeLimitExceeded();
}

const timeLimitExceeded = (): CommandError => new CommandError(50, "operation exceeded time limit");

/** Runs `next` with a result, immediately when it is there. */
export function whenFound<T, R>(found: T | Promise<T>, next: (found: T) => R): R | Promise<R> {
  return found instanceof Promise ? found.then(next) : next(found);
}

/** Remaining items of an iterator. */
function* rest<T>(iterator: Iterator<T>): Generator<T> {
  for (let next = iterator.next(); next.done !== true; next = iterator.next()) yield next.value;
}

const waiting: (() => void)[] = [];

/** Long scans alternate: however many there are, another command waits for one time slice. */
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
