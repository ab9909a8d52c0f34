import type { StoredDocument } from "./stored-document.ts";

/** A sequence whose source may change once it has been pinned. */
export type Pinnable<T> = Pick<Iterator<T, undefined>, "next"> & {
  /** Keeps the remaining items, whatever changes in their source afterwards. It takes far less time than reading them. */
  pin(): void;
};

/** The documents that a scan examines. */
export type Candidates = Pinnable<StoredDocument>;

/** Converts the items of a sequence into documents. */
export function candidatesOf<T>(items: Pinnable<T>, documentOf: (item: T) => StoredDocument): Candidates {
  return {
    next: () => {
      const { value, done } = items.next();
      return done === true ? { value: undefined, done } : { value: documentOf(value), done: false };
    },
    pin: items.pin,
  };
}

/** Returns the documents of a list that does not change. */
export function listedCandidates(documents: readonly StoredDocument[]): Candidates {
  const iterator = documents.values();
  return { next: () => iterator.next(), pin: () => {} };
}

/** Joins several sequences. Each is opened when it is needed, or when the whole is pinned. */
export function joined<T>(openers: readonly (() => Pinnable<T>)[]): Pinnable<T> {
  const ahead: (Pinnable<T> | undefined)[] = [];
  let at = 0;
  let current = openers[0]?.();
  return {
    next: () => {
      while (current !== undefined) {
        const result = current.next();
        if (result.done !== true) return result;
        at += 1;
        current = ahead[at] ?? openers[at]?.();
      }
      return { value: undefined, done: true };
    },
    pin: () => {
      current?.pin();
      for (let index = at + 1; index < openers.length; index += 1) {
        ahead[index] ??= openers[index]?.();
        ahead[index]?.pin();
      }
    },
  };
}

/** Returns each document once. */
export function eachOnce(documents: Candidates): Candidates {
  const seen = new Set<StoredDocument>();
  return {
    next: () => {
      let result = documents.next();
      while (result.done !== true && seen.has(result.value)) result = documents.next();
      if (result.done !== true) seen.add(result.value);
      return result;
    },
    pin: documents.pin,
  };
}

/**
 * Returns all documents of a collection in natural order. Their order never changes, and those that are inserted after
 * the sequence was pinned have higher numbers.
 */
export function allCandidates(documents: ReadonlyMap<number, StoredDocument>, lastNumber: () => number): Candidates {
  const iterator = documents.values();
  let numberMax = Number.POSITIVE_INFINITY;
  return {
    next: () => {
      const result = iterator.next();
      return result.done === true || result.value.number > numberMax ? { value: undefined, done: true } : result;
    },
    pin: () => {
      numberMax = Math.min(numberMax, lastNumber());
    },
  };
}
