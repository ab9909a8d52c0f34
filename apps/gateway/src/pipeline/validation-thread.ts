import { Worker } from "node:worker_threads";
import { dependencyUnavailable, ServiceError } from "@platform/kit/rpc/errors";
import type { SentRequest, ValidatedRequest } from "./validate-request.ts";
import type { FromValidationWorker, ToValidationWorker } from "./validation-messages.ts";

/**
 * A thread that validates large requests, so that they do not block the event loop. It validates one request at a time,
 * in the order of the calls.
 */
export type ValidationThread = {
  /** Resolves once the thread is ready. The first call starts it, because most gateways never read a large body. */
  start(): Promise<void>;
  /**
   * Returns the result of `validateRequest`, computed by the thread.
   * @param request its bytes are transferred to the thread and are no longer available afterwards
   * @throws ServiceError the errors of `validateRequest`, and dependency_unavailable if the thread ends, for example
   * because it is out of memory
   */
  validate(operationId: string, request: SentRequest): Promise<ValidatedRequest>;
  close(): Promise<void>;
};

/**
 * Memory of the thread in MiB. A body of 4 MiB with characters beyond Latin-1, its parsed form, a validated copy and
 * its canonical form take about 100 MiB. The size of the young generation is set, because with the gateway's own start
 * arguments it would take another 96 MiB.
 */
const resourceLimits = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 24 };

type Waiting = { resolve(answer: FromValidationWorker): void; reject(error: Error): void };
type Running = { readonly worker: Worker; readonly waiting: Waiting[]; readonly ready: Promise<FromValidationWorker> };

/** Creates the thread on first use. If the thread dies, its requests fail, and the next request starts a new thread. */
export function createValidationThread(): ValidationThread {
  let running: Running | null = null;

  const start = (): Running => {
    const worker = new Worker(new URL("./validation-worker.ts", import.meta.url), {
      name: "validation",
      resourceLimits,
    });
    // The thread must not keep a finished process alive.
    worker.unref();
    const waiting: Waiting[] = [];
    const started: Running = { worker, waiting, ready: nextAnswer(waiting) };
    const end = (error: Error): void => {
      if (running === started) running = null;
      for (const { reject } of waiting.splice(0)) reject(error);
    };
    worker.on("message", (answer: FromValidationWorker) => waiting.shift()?.resolve(answer));
    worker.once("error", end);
    worker.once("exit", () => end(new Error("the thread that validates large requests has ended")));
    return started;
  };

  const startOnce = (): Running => {
    running ??= start();
    return running;
  };

  return {
    start: () =>
      startOnce().ready.then(
        () => {},
        (error) => {
          throw dependencyUnavailable(error);
        },
      ),
    validate: async (operationId, { bytes, rawParams, contentType, idempotencyKey }) => {
      const { worker, waiting } = startOnce();
      const own = ownBytes(bytes);
      const answering = nextAnswer(waiting);
      const message: ToValidationWorker = { operationId, rawParams, contentType, idempotencyKey, bytes: own };
      worker.postMessage(message, [own.buffer]);
      const answer = await answering.catch((error) => {
        throw dependencyUnavailable(error);
      });
      if (answer.kind === "valid") return answer.request;
      if (answer.kind === "refused") throw new ServiceError(answer.code, answer.message, { details: answer.details });
      throw answer.kind === "failed" ? answer.error : new Error(`the thread answered ${answer.kind}`);
    },
    close: async () => {
      await running?.worker.terminate();
    },
  };
}

function nextAnswer(waiting: Waiting[]): Promise<FromValidationWorker> {
  return new Promise((resolve, reject) => waiting.push({ resolve, reject }));
}

/**
 * Returns the bytes in a buffer of their own. A buffer is transferred as a whole, and Node lets small ones share a
 * larger one.
 */
function ownBytes(bytes: Buffer): Uint8Array<ArrayBuffer> {
  const { buffer, byteLength } = bytes;
  const isOwn = buffer instanceof ArrayBuffer && buffer.byteLength === byteLength;
  return isOwn ? new Uint8Array(buffer) : new Uint8Array(bytes);
}
