import type { IncomingMessage } from "node:http";
import { deadlineExceeded, ServiceError } from "@platform/kit/rpc/errors";
import { type BlockFiller, createBlockFiller } from "../bytes/block-filler.ts";
import type { HashThread } from "../bytes/hash-thread.ts";
import type { UploadPace } from "../domain/limits.ts";
import type { BlobWriter } from "../store/blobs/blob-store.ts";

/** Thrown if the sender disconnected or stopped in the middle of the body, so that no response can be sent. */
export class SenderGone extends Error {
  override readonly name = "SenderGone";
}

export type ReceiveOptions = {
  readonly maximumBytes: number;
  readonly pace: UploadPace;
  readonly hashThread: HashThread;
};

/**
 * Streams a request's body into a blob. It counts and hashes the bytes, and keeps only a few blocks in memory.
 * @returns size in bytes and SHA-256 (hex) of the received bytes
 * @throws ServiceError upload_too_large at the first byte beyond the limit; deadline_exceeded if the sender is slower
 * than `pace`
 * @throws SenderGone if the connection ended before the body did
 */
export async function receiveBody(
  request: IncomingMessage,
  writer: BlobWriter,
  options: ReceiveOptions,
): Promise<{ sizeBytes: number; sha256: string }> {
  const hash = options.hashThread.begin();
  const blocks = createBlockFiller([hash.update, writer.write]);
  try {
    const sizeBytes = await readBody(request, blocks, options);
    await blocks.finish();
    return { sizeBytes, sha256: await hash.digest() };
  } catch (error) {
    blocks.drop();
    hash.forget();
    throw error;
  }
}

/** Passes the body to `blocks` and returns its size. */
function readBody(request: IncomingMessage, blocks: BlockFiller, options: ReceiveOptions): Promise<number> {
  const { maximumBytes } = options;
  let sizeBytes = 0;
  return new Promise((resolve, reject) => {
    const settle = (outcome: () => void): void => {
      pace.stop();
      request.pause();
      request.off("data", take).off("end", end).off("close", hangUp).off("error", hangUp);
      // If the connection breaks later, the error must not become an uncaught one.
      request.on("error", () => {});
      outcome();
    };
    const fail = (error: unknown): void => settle(() => reject(error));
    const hangUp = (): void => fail(new SenderGone("the sender went away before the body ended"));
    const end = (): void => (request.complete ? settle(() => resolve(sizeBytes)) : hangUp());
    const take = (chunk: Buffer): void => {
      sizeBytes += chunk.byteLength;
      if (sizeBytes > maximumBytes) {
        fail(uploadTooLarge(maximumBytes));
        return;
      }
      pace.received(chunk.byteLength);
      const space = blocks.take(chunk);
      if (space === null) return;
      request.pause();
      pace.pause();
      space.then(() => {
        pace.resume();
        request.resume();
      }, fail);
    };
    const pace = watchPace(options.pace, () => fail(deadlineExceeded()));
    request.on("data", take).on("end", end).on("close", hangUp).on("error", hangUp);
  });
}

/** The error for a sender that sends more bytes than were granted. */
export function uploadTooLarge(maximumBytes: number): ServiceError {
  return new ServiceError("upload_too_large", "The upload is larger than the grant's maximum_bytes.", {
    details: { maximum_bytes: maximumBytes },
  });
}

/**
 * Enforces the minimum rate of a sender. Time is divided into windows, in each of which enough bytes must arrive.
 * Only time spent waiting for the sender counts, and not time spent waiting for our own disk.
 */
function watchPace(pace: UploadPace, tooSlow: () => void) {
  const started = performance.now();
  let windowBytes = 0;
  let waitedMs = 0;
  let waitingSince: number | null = started;
  const look = (): void => {
    const now = performance.now();
    const waited = waitedMs + (waitingSince === null ? 0 : now - waitingSince);
    const isWindowOver = waited >= pace.windowMs;
    const isShort = windowBytes < (pace.minimumRate * pace.windowMs) / 1000;
    if (now - started > pace.totalMs || (isWindowOver && isShort)) {
      tooSlow();
      return;
    }
    if (!isWindowOver) return;
    windowBytes = 0;
    waitedMs = 0;
    if (waitingSince !== null) waitingSince = now;
  };
  const timer = setInterval(look, Math.max(10, pace.windowMs / 10));
  return {
    received: (bytes: number): void => {
      windowBytes += bytes;
    },
    pause: (): void => {
      if (waitingSince !== null) waitedMs += performance.now() - waitingSince;
      waitingSince = null;
    },
    resume: (): void => {
      waitingSince = performance.now();
    },
    stop: (): void => clearInterval(timer),
  };
}
