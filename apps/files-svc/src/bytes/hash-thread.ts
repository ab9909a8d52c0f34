import { Worker } from "node:worker_threads";
import type { Block } from "./block-pool.ts";
import type { FromHashWorker, ToHashWorker } from "./hash-messages.ts";

/** A SHA-256 that is being computed. */
export type BlockHash = {
  /** Adds bytes, which must not change until the promise resolves. */
  update(bytes: Block): Promise<void>;
  /** The SHA-256 of all bytes, hexadecimal. The last call. */
  digest(): Promise<string>;
  /** Abandons a hash. Harmless after `digest`. */
  forget(): void;
};

/** A thread for hashing, so that large bodies do not block the event loop. */
export type HashThread = {
  begin(): BlockHash;
  close(): Promise<void>;
};

type Waiting = { resolve(value: FromHashWorker): void; reject(error: unknown): void };
type Running = { readonly worker: Worker; readonly waiting: Waiting[] };

/** Creates the thread with its first hash. When it dies, its hashes fail, and the next hash gets a new thread. */
export function createHashThread(): HashThread {
  let running: Running | null = null;
  let hashes = 0;

  const start = (): Running => {
    const worker = new Worker(new URL("./hash-worker.ts", import.meta.url), { name: "hash" });
    // The thread must not keep a finished process alive.
    worker.unref();
    const started: Running = { worker, waiting: [] };
    const end = (error: unknown): void => {
      if (running === started) running = null;
      for (const { reject } of started.waiting.splice(0)) reject(error);
    };
    worker.on("message", (value: FromHashWorker) => started.waiting.shift()?.resolve(value));
    worker.once("error", end);
    worker.once("exit", () => end(new Error("the thread that hashes has ended")));
    return started;
  };

  return {
    begin: () => {
      running ??= start();
      const mine = running;
      hashes += 1;
      const hash = hashes;
      const ask = (message: ToHashWorker): Promise<FromHashWorker> =>
        new Promise((resolve, reject) => {
          if (running !== mine) {
            reject(new Error("the thread that was hashing has ended"));
            return;
          }
          mine.waiting.push({ resolve, reject });
          mine.worker.postMessage(message);
        });
      return {
        update: async (bytes) => {
          await ask({ kind: "update", hash, bytes });
        },
        digest: async () => String(await ask({ kind: "digest", hash })),
        forget: () => mine.worker.postMessage({ kind: "forget", hash } satisfies ToHashWorker),
      };
    },
    close: async () => {
      await running?.worker.terminate();
    },
  };
}
