import { Worker } from "node:worker_threads";

/** Kind of a journal entry, which is its first byte. */
export const entryKind = { put: 1, remove: 2, describe: 3, drop: 4 } as const;

/** Accepts every change in order; `committed` is called when all changes appended so far are on disk. */
export type Journal = {
  put(collection: number, number: number, bytes: Uint8Array): void;
  remove(collection: number, number: number): void;
  describe(collection: number, descriptor: Uint8Array): void;
  drop(collection: number): void;
  committed(callback: () => void): void;
  close(): Promise<void>;
};

/** Stores nothing, for an engine that is only in memory. */
export const memoryJournal: Journal = {
  put() {},
  remove() {},
  describe() {},
  drop() {},
  committed: (callback) => callback(),
  close: () => Promise.resolve(),
};

const headerBytes = 17;

/**
 * Group commit: all changes of one event-loop tick, and all that arrive during a commit, go into the next SQLite
 * transaction, on a separate thread so that reads continue during the fsync. `onFailure` means that durability is lost.
 */
export function openJournal(file: string, onFailure: (error: Error) => void): Journal {
  const worker = new Worker(new URL("./commit-worker.ts", import.meta.url), { workerData: { file } });
  let entries: Buffer[] = [];
  let waiting: (() => void)[] = [];
  // The empty first batch makes the thread open the file once the caller has closed it.
  let inFlight: (() => void)[] | undefined = [];
  setImmediate(() => worker.postMessage(new Uint8Array(0)));
  let isScheduled = false;
  let isClosing = false;

  const flush = () => {
    isScheduled = false;
    if (inFlight !== undefined || (entries.length === 0 && waiting.length === 0)) return;
    inFlight = waiting;
    waiting = [];
    const batch = Buffer.concat(entries);
    entries = [];
    worker.postMessage(batch);
  };
  const schedule = () => {
    if (isScheduled || inFlight !== undefined) return;
    isScheduled = true;
    setImmediate(flush);
  };
  worker.on("message", () => {
    const done = inFlight ?? [];
    inFlight = undefined;
    for (const callback of done) callback();
    if (entries.length > 0 || waiting.length > 0) schedule();
  });
  worker.on("error", onFailure);
  worker.on("exit", (code) => {
    if (!isClosing) onFailure(new Error(`The commit worker stopped with code ${code}`));
  });

  const append = (kind: number, collection: number, number: number, bytes?: Uint8Array) => {
    const header = Buffer.allocUnsafe(headerBytes);
    header.writeUInt8(kind, 0);
    header.writeUInt32LE(collection, 1);
    header.writeDoubleLE(number, 5);
    header.writeUInt32LE(bytes?.length ?? 0, 13);
    entries.push(header);
    if (bytes !== undefined) entries.push(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
    schedule();
  };
  return {
    put: (collection, number, bytes) => append(entryKind.put, collection, number, bytes),
    remove: (collection, number) => append(entryKind.remove, collection, number),
    describe: (collection, descriptor) => append(entryKind.describe, collection, 0, descriptor),
    drop: (collection) => append(entryKind.drop, collection, 0),
    committed(callback) {
      if (entries.length === 0 && inFlight === undefined) return callback();
      waiting.push(callback);
      schedule();
    },
    async close() {
      await new Promise<void>((resolve) => this.committed(resolve));
      isClosing = true;
      const exited = new Promise((resolve) => worker.once("exit", resolve));
      worker.postMessage(null);
      await exited;
    },
  };
}

/** Decodes a batch into its entries. */
export function* readEntries(batch: Buffer) {
  for (let at = 0; at < batch.length; ) {
    const length = batch.readUInt32LE(at + 13);
    const bytes = batch.subarray(at + headerBytes, at + headerBytes + length);
    yield {
      kind: batch.readUInt8(at),
      collection: batch.readUInt32LE(at + 1),
      number: batch.readDoubleLE(at + 5),
      bytes,
    };
    at += headerBytes + length;
  }
}
