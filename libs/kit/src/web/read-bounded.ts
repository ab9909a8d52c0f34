import type { Readable } from "node:stream";

/**
 * Reads at most `bytesMax` bytes of a body. If the body is longer, its connection is closed. Otherwise it is read to
 * the end, so that the connection can be reused.
 */
export async function readBounded(body: Readable, bytesMax: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of body) {
    chunks.push(chunk as Buffer);
    length += (chunk as Buffer).byteLength;
    // Leaving the loop early destroys the stream.
    if (length > bytesMax) break;
  }
  return Buffer.concat(chunks).subarray(0, bytesMax);
}
