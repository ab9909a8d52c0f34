import type { Readable } from "node:stream";

/**
 * Reads the whole body of a request, up to `bytesMax` (a provider rejects far smaller bodies). Returns null if the client disconnected before the end. The
 * function uses events, because async iteration would cost a fifth of the sink's throughput.
 */
export function readBody(stream: Readable, bytesMax: number): Promise<Buffer | null> {
  const { promise, resolve } = Promise.withResolvers<Buffer | null>();
  const chunks: Buffer[] = [];
  let size = 0;
  stream.on("data", (chunk: Buffer) => {
    size += chunk.length;
    if (size <= bytesMax) chunks.push(chunk);
  });
  stream.on("end", () => resolve(Buffer.concat(chunks)));
  stream.on("error", () => resolve(null));
  stream.on("close", () => resolve(null));
  return promise;
}
