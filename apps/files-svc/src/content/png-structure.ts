import type { ByteFile } from "./byte-file.ts";
import { BrokenImage, type ImageStructure } from "./image-structure.ts";

const signatureBytes = 8;
const chunkFrameBytes = 12;
/**
 * Maximum number of channels of a decoded pixel. A PNG is greyscale, RGB or a palette; the first two may have alpha,
 * and a palette may have transparency.
 */
const mostChannels = 4;
const channels: Readonly<Record<number, number>> = { 0: 1, 2: 3, 3: mostChannels, 4: 2, 6: mostChannels };

/**
 * Reads the chunks of a PNG (W3C PNG, third edition). An animated PNG declares its frames in acTL.
 * @throws BrokenImage
 */
export function readPngStructure(file: ByteFile): ImageStructure {
  let width = 0;
  let height = 0;
  let frames = 1;
  let bytesPerPixel = 0;
  for (let offset = signatureBytes; offset < file.size; ) {
    const head = file.at(offset, 8);
    if (head.length < 8) throw new BrokenImage("a chunk is cut short");
    const length = head.readUInt32BE(0);
    const type = head.toString("latin1", 4, 8);
    const isFirst = offset === signatureBytes;
    if (isFirst !== (type === "IHDR") || !/^[A-Za-z]{4}$/.test(type)) throw new BrokenImage("chunks out of order");
    if (type === "IHDR") {
      const body = file.at(offset + 8, 10);
      if (body.length < 10) throw new BrokenImage("the header is cut short");
      width = body.readUInt32BE(0);
      height = body.readUInt32BE(4);
      bytesPerPixel = (channels[body.readUInt8(9)] ?? mostChannels) * Math.ceil(body.readUInt8(8) / 8);
    }
    if (type === "acTL" && length >= 4) frames = Math.max(1, file.at(offset + 8, 4).readUInt32BE(0));
    offset += chunkFrameBytes + length;
    if (type === "IEND") return { width, height, frames, bytesPerPixel, endsAt: offset };
  }
  return { width, height, frames, bytesPerPixel, endsAt: null };
}
