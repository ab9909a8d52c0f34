import type { ByteFile } from "./byte-file.ts";
import { BrokenImage, type ImageStructure } from "./image-structure.ts";

const endOfImage = 0xd9;
const startOfScan = 0xda;
/** A decoded JPEG has at most four channels of eight bits. */
const bytesPerPixel = 4;

/**
 * Maximum number of stray bytes between segments, counted over the whole file. Decoders skip them to find the next
 * marker, and cameras leave a few.
 */
const strayBytesMax = 64;

/** Returns whether a marker starts a frame. These are C0 to CF without DHT (C4), JPG (C8) and DAC (CC). */
const isStartOfFrame = (marker: number): boolean =>
  marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
const isRestart = (marker: number): boolean => marker >= 0xd0 && marker <= 0xd7;

/**
 * Reads the segments of a JPEG (ITU T.81), including its entropy-coded data, up to the end of the first image.
 * @throws BrokenImage
 */
export function readJpegStructure(file: ByteFile): ImageStructure {
  let size: { width: number; height: number } | null = null;
  let offset = 2;
  let strayBytes = 0;
  while (offset < file.size) {
    const at = file.indexOf(0xff, offset);
    if (at < 0) break;
    strayBytes += at - offset;
    if (strayBytes > strayBytesMax) throw new BrokenImage("bytes between segments");
    const marker = file.at(at + 1, 1)[0];
    if (marker === undefined) break;
    if (marker === 0xff) {
      offset = at + 1;
      continue;
    }
    if (marker === endOfImage) {
      if (size === null) throw new BrokenImage("no frame");
      return { ...size, frames: 1, bytesPerPixel, endsAt: at + 2 };
    }
    const length = segmentLength(file, at);
    if (isStartOfFrame(marker)) {
      if (size !== null) throw new BrokenImage("two frames");
      const frame = file.at(at + 5, 4);
      if (frame.length < 4) throw new BrokenImage("the frame header is cut short");
      size = { height: frame.readUInt16BE(0), width: frame.readUInt16BE(2) };
    }
    offset = at + 2 + length;
    if (marker === startOfScan) offset = afterEntropyData(file, offset);
  }
  if (size === null) throw new BrokenImage("no frame");
  return { ...size, frames: 1, bytesPerPixel, endsAt: null };
}

function segmentLength(file: ByteFile, at: number): number {
  const bytes = file.at(at + 2, 2);
  if (bytes.length < 2) throw new BrokenImage("a segment is cut short");
  const length = bytes.readUInt16BE(0);
  if (length < 2) throw new BrokenImage("a segment without a length");
  return length;
}

/** Returns the end of entropy-coded data. It ends at the first marker that is neither a stuffed zero nor a restart. */
function afterEntropyData(file: ByteFile, from: number): number {
  for (let offset = from; ; ) {
    const at = file.indexOf(0xff, offset);
    if (at < 0) return file.size;
    const next = file.at(at + 1, 1)[0];
    if (next === undefined) return file.size;
    if (next !== 0 && next !== 0xff && !isRestart(next)) return at;
    offset = next === 0xff ? at + 1 : at + 2;
  }
}
