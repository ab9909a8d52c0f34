import type { Readable, Writable } from "node:stream";

/**
 * Frees a chunk's memory immediately if the chunk owns it. The chunk must not be used afterwards. Node's HTTP parser
 * allocates 64 KiB outside of the heap for each chunk, and V8 runs a full collection after every 64 MiB of such memory.
 * Freeing chunks immediately reuses the same few blocks, which saves a third of the CPU time for a large body.
 */
export function freeChunk(chunk: Uint8Array): void {
  const { buffer } = chunk;
  if (chunk.byteOffset !== 0 || chunk.byteLength !== buffer.byteLength || !(buffer instanceof ArrayBuffer)) return;
  buffer.transfer(0);
}

/**
 * Writes all bytes of `source` to `target` with back-pressure, and frees each chunk once it was sent. No other code may
 * keep the chunks of `source`, and `target` must no longer need a chunk when its callback runs, which is true for a
 * socket. If one side fails, the other is destroyed, so that a truncated response never looks complete.
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
