import type { ByteFile } from "./byte-file.ts";
import { BrokenImage, type ImageStructure } from "./image-structure.ts";

const imageBlock = 0x2c;
const extensionBlock = 0x21;
const trailer = 0x3b;

/** A GIF is decoded with an alpha channel, so a pixel has four bytes. */
const bytesPerPixel = 4;

/**
 * Reads the blocks of a GIF (GIF89a specification) and counts its frames. Counting stops at `framesMax` + 1, because
 * more are never allowed.
 * @throws BrokenImage
 */
export function readGifStructure(file: ByteFile, framesMax: number): ImageStructure {
  const header = file.at(0, 13);
  if (header.length < 13) throw new BrokenImage("the header is cut short");
  let width = header.readUInt16LE(6);
  let height = header.readUInt16LE(8);
  let frames = 0;
  let offset = 13 + colourTableBytes(header.readUInt8(10));
  while (offset < file.size && frames <= framesMax) {
    const kind = file.at(offset, 1).readUInt8(0);
    if (kind === trailer) return { width, height, frames, bytesPerPixel, endsAt: offset + 1 };
    if (kind === extensionBlock) offset = afterSubBlocks(file, offset + 2);
    else if (kind === imageBlock) {
      const frame = file.at(offset, 10);
      if (frame.length < 10) throw new BrokenImage("a frame is cut short");
      frames += 1;
      // A frame may exceed the logical screen and enlarge the decoder's canvas.
      width = Math.max(width, frame.readUInt16LE(1) + frame.readUInt16LE(5));
      height = Math.max(height, frame.readUInt16LE(3) + frame.readUInt16LE(7));
      offset = afterSubBlocks(file, offset + 10 + colourTableBytes(frame.readUInt8(9)) + 1);
    } else throw new BrokenImage("an unknown block");
  }
  return { width, height, frames, bytesPerPixel, endsAt: null };
}

/** Size of the colour table that the flags declare, in bytes. */
function colourTableBytes(flags: number): number {
  return (flags & 0x80) === 0 ? 0 : 3 * 2 ** ((flags & 0x07) + 1);
}

function afterSubBlocks(file: ByteFile, from: number): number {
  for (let offset = from; offset < file.size; ) {
    const length = file.at(offset, 1).readUInt8(0);
    offset += 1 + length;
    if (length === 0) return offset;
  }
  throw new BrokenImage("a block is cut short");
}
