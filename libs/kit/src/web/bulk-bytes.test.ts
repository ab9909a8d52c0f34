import { PassThrough, Readable, Writable } from "node:stream";
import { finished } from "node:stream/promises";
import { expect, test } from "vitest";
import { freeChunk, sendBytes } from "./bulk-bytes.ts";

test("frees a chunk that owns its memory", () => {
  const chunk = Buffer.from(new ArrayBuffer(1000));
  freeChunk(chunk);
  expect(chunk.byteLength).toBe(0);
});

test("does not free a chunk that shares its memory", () => {
  const memory = new ArrayBuffer(1000);
  const [one, other] = [Buffer.from(memory, 0, 500), Buffer.from(memory, 500)];
  freeChunk(one);
  freeChunk(other);
  expect([one.byteLength, other.byteLength]).toEqual([500, 500]);
});

test("delivers every byte to a slow receiver", async () => {
  const chunks = Array.from({ length: 50 }, (_, index) => Buffer.from(new ArrayBuffer(10_000)).fill(index));
  const expected = Buffer.concat(chunks);
  const received: Buffer[] = [];
  const target = new Writable({
    highWaterMark: 1,
    write: (chunk: Buffer, _encoding, done) => {
      received.push(Buffer.from(chunk));
      setImmediate(done);
    },
  });
  sendBytes(Readable.from(chunks, { objectMode: true }), target);
  await finished(target);
  expect(Buffer.concat(received).equals(expected)).toBe(true);
  expect(chunks.every((chunk) => chunk.byteLength === 0)).toBe(true);
});

test("destroys the target if the source fails, and the source if the target fails", async () => {
  const [source, target] = [new PassThrough(), new PassThrough()];
  target.on("error", () => {});
  sendBytes(source, target);
  source.destroy(new Error("broken"));
  await expect.poll(() => target.destroyed).toBe(true);
  const [other, gone] = [new PassThrough(), new PassThrough()];
  sendBytes(other, gone);
  gone.destroy();
  await expect.poll(() => other.destroyed).toBe(true);
});
