import type { Readable } from "node:stream";
import type { BlobKey } from "../../domain/blob-key.ts";
import type { ByteRange } from "../../domain/byte-range.ts";

/** Writes one blob. Nothing can be read under its key until `commit` has resolved. */
export type BlobWriter = {
  /**
   * Appends bytes, which must not change until the promise resolves. A few further writes may be started before that.
   */
  write(bytes: Uint8Array): Promise<void>;
  /** Makes all bytes readable under their key in one step. Once it has resolved, they survive a power failure. */
  commit(): Promise<void>;
  /** Discards everything that was written. May be called after a failure, and never throws. */
  abort(): Promise<void>;
};

/** A blob as a file on this machine, for tools that read files. */
export type LocalCopy = { readonly path: string; release(): Promise<void> };

/** Key of the marker that identifies the bucket's database. It is not a blob. */
export const markerKey = "platform-database.json";

/** Stores bytes. The bytes under a key never change. */
export type BlobStore = {
  readonly kind: "fs" | "s3";
  /** Maximum memory of a writer, in bytes. */
  readonly writerBytes: number;
  /**
   * Starts writing the blob `key`.
   * @param writeId identifies this attempt, so that the remains of a crash can be found and removed
   */
  createWriter(key: BlobKey, writeId: string): Promise<BlobWriter>;
  /** Size in bytes, or null if there is no such blob. */
  size(key: BlobKey): Promise<number | null>;
  /** The bytes, or the given part of them. Rejects if there is no such blob. Destroying the stream frees everything. */
  read(key: BlobKey, range: ByteRange | null): Promise<Readable>;
  localCopy(key: BlobKey): Promise<LocalCopy>;
  /** Deletes the blob, and the remains of an unfinished attempt `writeId` to write it. The blob may be missing. */
  delete(key: BlobKey, writeId: string | null): Promise<void>;
  /** Deletes the remains of an unfinished attempt to write the blob, but never the blob itself. */
  removeAttempt(key: BlobKey, writeId: string): Promise<void>;
  /** Lists every stored blob, in no particular order. */
  list(): AsyncIterable<{ readonly key: BlobKey; readonly storedAt: Date }>;
  /**
   * Removes the remains of unfinished attempts that started before `before`, and returns how many there were. If one
   * cannot be removed, the others still are.
   */
  removeUnfinished(before: Date, onFailure: (error: unknown) => void): Promise<number>;
  /** The text of the marker that identifies the bucket's database, or null. */
  readMarker(): Promise<string | null>;
  writeMarker(text: string): Promise<void>;
  /** Returns whether the store can be reached and written, for the readiness check. */
  check(): Promise<boolean>;
};
