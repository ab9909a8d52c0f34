import { Worker } from "node:worker_threads";
import type { Block } from "./block-pool.ts";
import type { FromHashWorker, ToHashWorker } from "./hash-messages.ts";

/** A SHA-256 that is being computed. */
export type BlockHash = {
  /** Adds bytes, which must not change until the promise resolves. */
  update(bytes: Block): Promise<void>;
  /** Returns the SHA-256 of all bytes, in hexadecimal. Nothing may be called after it except `forget`. */
  digest(): Promise<string>;
  /** Abandons the hash. Does nothing after `digest`. */
  forget(): void;
};

/** A thread that computes hashes, so that large bodies do not block the event loop. */
export type HashThread = {
  begin(): BlockHash;
  close(): Promise<void>;
};

type Waiting = { resolve(value: FromHashWorker): void; reject(error: unknown): void };
type Running = { readonly worker: Worker; readonly waiting: Waiting[] };

/**
 * Creates a hash thread, which starts with its first hash. If it dies, its hashes fail, and the next hash starts a
 * new thread.
 */
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
