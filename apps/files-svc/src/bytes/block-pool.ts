/** Bytes of a whole block. */
export const blockBytes = 1024 * 1024;

/** A block of memory, or its beginning, shared with the thread that hashes. */
export type Block = Uint8Array<SharedArrayBuffer>;

const free: Block[] = [];

/** Takes a whole block out of the pool, with whatever was left in it. The pool keeps as many blocks as were once used together. */
export function takeBlock(): Block {
  return free.pop() ?? new Uint8Array(new SharedArrayBuffer(blockBytes));
}

/** Gives a whole block back. Nobody may look at it afterwards. */
export function giveBlock(block: Block): void {
  free.push(block);
}
