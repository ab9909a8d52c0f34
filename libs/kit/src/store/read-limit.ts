import { AsyncLocalStorage } from "node:async_hooks";
import { mongo } from "mongoose";

type Options = { readonly maxTimeMS?: number };
type Read = (...args: unknown[]) => unknown;

const limits = new AsyncLocalStorage<number>();

/** Position of the options among the arguments of the driver's reads. `findOne` calls `find`. */
const optionsAt = { find: 1, aggregate: 1, countDocuments: 1, distinct: 2 } as const;

/**
 * Runs work with a time limit for each of its reads, after which the database aborts the read. A list then occupies the
 * database no longer than someone waits for it. A read with its own `maxTimeMS` keeps that.
 * @param ms limit for each read, in milliseconds
 */
export function withReadLimit<T>(ms: number, work: () => T): T {
  return limits.run(ms, work);
}

/** Returns whether the database aborted the read because its time limit had passed (MaxTimeMSExpired). */
export function isReadLimitError(error: unknown): boolean {
  return error instanceof mongo.MongoServerError && error.code === 50;
}

let isInstalled = false;

/** Applies `withReadLimit` to the reads of the driver, which mongoose also uses. */
export function installReadLimit(): void {
  if (isInstalled) return;
  isInstalled = true;
  const reads = mongo.Collection.prototype as unknown as Record<string, Read>;
  for (const [name, at] of Object.entries(optionsAt)) {
    const read = reads[name];
    if (read === undefined) throw new Error(`the MongoDB driver has changed: its collections have no ${name}`);
    reads[name] = function (this: unknown, ...args) {
      const maxTimeMS = limits.getStore();
      if (maxTimeMS === undefined) return read.apply(this, args);
      const given = [...args];
      while (given.length < at) given.push(undefined);
      given[at] = { maxTimeMS, ...(args[at] as Options | undefined) };
      return read.apply(this, given);
    };
  }
}
