/** Bytes of a whole block. */
export const blockBytes = 1024 * 1024;

/** A block of memory, or its beginning, shared with the thread that hashes. */
export type Block = Uint8Array<SharedArrayBuffer>;

const free: Block[] = [];

/** Returns a whole block with undefined contents. The pool keeps as many blocks as were ever in use concurrently. */
export function takeBlock(): Block {
  return free.pop() ?? new Uint8Array(new SharedArrayBuffer(blockBytes));
}

/** Returns a whole block, which must not be read afterwards. */
export function giveBlock(block: Block): void {
  free.push(block);
}
