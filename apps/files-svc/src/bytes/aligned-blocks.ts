/** Bytes of a whole block: 1 MiB, a multiple of what any disk or file system wants direct writes to be aligned to. */
export const blockBytes = 1024 * 1024;

/** A block of memory, or its beginning. It starts at a page and is shared with worker threads. */
export type Block = Uint8Array<SharedArrayBuffer>;

const blocksAtOnce = 16;
const pageBytes = 65_536;
const free: Block[] = [];

/** Of the JavaScript API of WebAssembly what is used here; the types come with browsers' only. */
type WasmMemory = new (size: {
  initial: number;
  maximum: number;
  shared: true;
}) => { readonly buffer: SharedArrayBuffer };
const { Memory } = (globalThis as unknown as { WebAssembly: { Memory: WasmMemory } }).WebAssembly;

/**
 * Takes a whole block out of the pool, with whatever was left in it. Blocks come from memories of WebAssembly, which begin at a page, as
 * open(2) wants it for O_DIRECT; nothing else in Node promises that. The block used last is given out first, and none is given back to the
 * system: there are as many as were once used together.
 */
export function takeBlock(): Block {
  const taken = free.pop();
  if (taken !== undefined) return taken;
  const pages = (blocksAtOnce * blockBytes) / pageBytes;
  const { buffer } = new Memory({ initial: pages, maximum: pages, shared: true });
  for (let at = buffer.byteLength - blockBytes; at > 0; at -= blockBytes) {
    free.push(new Uint8Array(buffer, at, blockBytes));
  }
  return new Uint8Array(buffer, 0, blockBytes);
}

/** Gives a whole block back. Nobody may look at it afterwards. */
export function giveBlock(block: Block): void {
  free.push(block);
}

/** Are these bytes a whole block? */
export function isWholeBlock(bytes: Uint8Array): bytes is Block {
  return bytes.byteLength === blockBytes && bytes.buffer instanceof SharedArrayBuffer;
}
