import type { IncomingMessage } from "node:http";
import { ServiceError } from "@platform/kit/rpc/errors";

/** Bodies up to this size, in bytes, reserve no memory, because even all of them together are small. */
export const smallBodyBytes = 64 * 1024;

function payloadTooLarge(bytesMax: number): ServiceError {
  return new ServiceError(
    "payload_too_large",
    `The request body is larger than the ${bytesMax} bytes this operation accepts.`,
    {
      details: { maximum_bytes: bytesMax },
    },
  );
}

const noBytes = Buffer.alloc(0);

/**
 * Creates the error for a sender that disconnects before its body has arrived, regardless of the socket's own error.
 */
export function bodyNotArrived(cause?: Error): ServiceError {
  return new ServiceError("deadline_exceeded", "The request body did not arrive.", { cause });
}

/** Returns whether the body may be larger than `bytes` according to its headers. */
export function mayBeLarger({ headers }: IncomingMessage, bytes: number): boolean {
  return headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > bytes;
}

/**
 * Reads a whole request body. A body that is too large is rejected as early as possible: by its Content-Length before
 * any byte is read, otherwise at the first byte beyond the limit.
 * @param bytesMax maximum size of the body in bytes
 * @param reserve waits until a large body of at most this many bytes may be read. It is called before the first byte if
 * the length is declared, otherwise once the body is no longer small. Its rejection is thrown
 * @throws ServiceError payload_too_large, deadline_exceeded if the sender disconnects before the end
 */
export function readBody(
  request: IncomingMessage,
  bytesMax: number,
  reserve: ((bytes: number) => Promise<void>) | null = null,
): Promise<Buffer> {
  const { "content-length": length, "transfer-encoding": coding } = request.headers;
  // A request without either header has no body (RFC 9112, 6.3). Node skips any bytes that are not read.
  if (length === undefined && coding === undefined) return Promise.resolve(noBytes);
  const declared = Number(length ?? 0);
  if (declared > bytesMax) return Promise.reject(payloadTooLarge(bytesMax));
  if (reserve === null || coding !== undefined) return readToEnd(request, bytesMax, reserve);
  const reserved = declared > smallBodyBytes ? reserve(declared) : Promise.resolve();
  return reserved.then(() => {
    if (request.destroyed) throw bodyNotArrived();
    return readToEnd(request, bytesMax, null);
  });
}

function readToEnd(
  request: IncomingMessage,
  bytesMax: number,
  reserve: ((bytes: number) => Promise<void>) | null,
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    let waitsFor = reserve;
    const onData = (chunk: Buffer): void => {
      bytes += chunk.byteLength;
      if (bytes > bytesMax) {
        request.off("data", onData);
        request.pause();
        reject(payloadTooLarge(bytesMax));
        return;
      }
      chunks.push(chunk);
      if (waitsFor === null || bytes <= smallBodyBytes) return;
      request.pause();
      waitsFor(bytesMax).then(
        () => request.resume(),
        (error: Error) => {
          // The rest of the body is skipped, so that the connection can be reused.
          request.off("data", onData).resume();
          reject(error);
        },
      );
      waitsFor = null;
    };
    request.on("data", onData);
    request.on("end", () =>
      resolve(chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks, bytes)),
    );
    const notArrived = (cause?: Error): void => reject(bodyNotArrived(cause));
    request.on("error", notArrived);
    // Every request emits "close". It has failed only if that happens before the end of its body.
    request.on("close", () => {
      if (!request.readableEnded) notArrived();
    });
  });
}
