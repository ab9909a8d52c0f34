/** Size of a whole block, in bytes. */
export const blockBytes = 1024 * 1024;

/** A block of memory, or its beginning. It is shared with the thread that hashes. */
export type Block = Uint8Array<SharedArrayBuffer>;

const free: Block[] = [];

/** Returns a whole block with undefined contents. The pool keeps as many blocks as were ever used concurrently. */
export function takeBlock(): Block {
  return free.pop() ?? new Uint8Array(new SharedArrayBuffer(blockBytes));
}

/** Puts a whole block back into the pool. The caller must not read it afterwards. */
export function giveBlock(block: Block): void {
  free.push(block);
}
