import type { Readable, Writable } from "node:stream";

/**
 * Frees a chunk's memory immediately if the chunk owns it. The chunk must not be used afterwards.
 *
 * Node's HTTP parser allocates every 64 KiB outside the heap, and V8 runs a full collection for each 64 MiB of that. Freeing immediately reuses the
 * same few blocks: a third less CPU for a large body.
 */
export function freeChunk(chunk: Uint8Array): void {
  const { buffer } = chunk;
  if (chunk.byteOffset !== 0 || chunk.byteLength !== buffer.byteLength || !(buffer instanceof ArrayBuffer)) return;
  buffer.transfer(0);
}

/**
 * Writes all bytes of `source` to `target` with back-pressure, and frees each chunk once it was sent. Nobody else may keep the chunks of
 * `source`, and `target` must be done with a chunk when its callback runs, as a socket is. When one side breaks, the other is destroyed, so
 * that a truncated answer never looks complete.
 */
export function sendBytes(source: Readable, target: Writable): void {
  source.on("data", (chunk: Buffer) => {
    if (target.write(chunk, () => freeChunk(chunk))) return;
    source.pause();
    target.once("drain", () => source.resume());
  });
  source.once("end", () => target.end());
  source.once("error", () => target.destroy());
  target.once("close", () => source.destroy());
}
