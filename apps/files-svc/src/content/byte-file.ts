import { closeSync, fstatSync, openSync, readSync } from "node:fs";

const windowBytes = 256 * 1024;

/**
 * Random access to a file through a small window. It is synchronous, because the process that uses it does nothing
 * else.
 */
export type ByteFile = {
  readonly size: number;
  /** The bytes at `offset`; fewer than `length` at the end of the file. They are valid until the next call. */
  at(offset: number, length: number): Buffer;
  /** Position of the next `byte` at or after `offset`, or -1. */
  indexOf(byte: number, offset: number): number;
  close(): void;
};

/** Opens a file. Throws if it cannot be read. */
export function openByteFile(path: string): ByteFile {
  const descriptor = openSync(path, "r");
  const { size } = fstatSync(descriptor);
  let window = Buffer.alloc(0);
  let start = 0;
  const load = (offset: number, length: number): void => {
    const wanted = Math.min(Math.max(length, windowBytes), Math.max(0, size - offset));
    const next = Buffer.allocUnsafe(wanted);
    let filled = 0;
    while (filled < wanted) {
      const count = readSync(descriptor, next, filled, wanted - filled, offset + filled);
      if (count === 0) break;
      filled += count;
    }
    window = next.subarray(0, filled);
    start = offset;
  };
  return {
    size,
    at: (offset, length) => {
      const end = Math.min(offset + length, size);
      if (offset < start || end > start + window.length) load(offset, length);
      return window.subarray(offset - start, Math.max(offset, end) - start);
    },
    indexOf: (byte, offset) => {
      for (let from = offset; from < size; from = start + window.length) {
        if (from < start || from >= start + window.length) load(from, 1);
        const found = window.indexOf(byte, from - start);
        if (found >= 0) return start + found;
      }
      return -1;
    },
    close: () => closeSync(descriptor),
  };
}

/** Gives access to bytes in memory as if they were a file. */
export function memoryFile(bytes: Uint8Array): ByteFile {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return {
    size: buffer.length,
    at: (offset, length) => buffer.subarray(offset, offset + length),
    indexOf: (byte, offset) => buffer.indexOf(byte, offset),
    close: () => {},
  };
}

const chunkBytes = 1024 * 1024;

/**
 * Reads the file as Latin-1 text (one character per byte), in chunks that overlap by `overlap` characters, so that no
 * match of a pattern up to that length is split.
 */
export function* latin1Chunks(file: ByteFile, overlap: number): Iterable<{ text: string; offset: number }> {
  for (let offset = 0; offset < file.size; offset += chunkBytes - overlap) {
    yield { text: file.at(offset, chunkBytes).toString("latin1"), offset };
    if (offset + chunkBytes >= file.size) return;
  }
}
