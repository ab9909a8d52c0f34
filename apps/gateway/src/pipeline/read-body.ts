import type { IncomingMessage } from "node:http";
import { ServiceError } from "@platform/service-kit/errors/service-error";

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
 * Reads a request body whole. Refuses it as soon as it is known to be too large: by Content-Length before a byte is read, else at the
 * first byte beyond.
 * @param bytesMax largest body in bytes
 * @throws ServiceError payload_too_large, deadline_exceeded when the sender goes away before its end
 */
export function readBody(request: IncomingMessage, bytesMax: number): Promise<Buffer> {
  const { "content-length": length, "transfer-encoding": coding } = request.headers;
  // Without either there is no body (RFC 9112, 6.3), and nothing to wait for. Node reads past what nobody read.
  if (length === undefined && coding === undefined) return Promise.resolve(noBytes);
  const declared = Number(length ?? 0);
  if (declared > bytesMax) return Promise.reject(payloadTooLarge(bytesMax));
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    const onData = (chunk: Buffer): void => {
      bytes += chunk.byteLength;
      if (bytes > bytesMax) {
        request.off("data", onData);
        request.pause();
        reject(payloadTooLarge(bytesMax));
        return;
      }
      chunks.push(chunk);
    };
    request.on("data", onData);
    request.once("end", () =>
      resolve(chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks, bytes)),
    );
    // A sender that goes away in the middle is no defect of ours, whatever the socket calls it.
    const notArrived = (cause?: Error): void =>
      reject(new ServiceError("deadline_exceeded", "The request body did not arrive.", { cause }));
    request.once("error", notArrived);
    // Every request closes; only one that closes before its end has failed, and only then is an error worth making.
    request.once("close", () => {
      if (!request.readableEnded) notArrived();
    });
  });
}
