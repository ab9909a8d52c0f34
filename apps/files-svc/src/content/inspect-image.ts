import sharp from "sharp";
import type { FileContentType, RejectionReason } from "../domain/file-object.ts";
import { imageDecodedBytesMax, imageFramesMax, imagePixelsMax } from "../domain/limits.ts";
import type { ByteFile } from "./byte-file.ts";
import { readGifStructure } from "./gif-structure.ts";
import { BrokenImage, type ImageStructure } from "./image-structure.ts";
import { readJpegStructure } from "./jpeg-structure.ts";
import { endsAsZip, holdsActiveMarkup, holdsForeignSignature, opensAsPdf } from "./markup.ts";
import { readPngStructure } from "./png-structure.ts";

export type ImageContentType = Extract<FileContentType, `image/${string}`>;

type Size = { width: number; height: number; frames: number };

/**
 * Number of bytes after the end of a JPEG that are inspected. Phones store further pictures and data of their own
 * there.
 */
const trailerBytesMax = 64 * 1024 * 1024;
/** Maximum number of zeros and line feeds after the end of a PNG or GIF, which some writers add. */
const paddingBytesMax = 64;
const decodeSeconds = 10;

/**
 * Checks an image of a known type: it must be of only one format, its header must be within the limits, and it must
 * be decodable to the last pixel.
 */
export async function inspectImage(
  path: string,
  file: ByteFile,
  contentType: ImageContentType,
): Promise<{ rejectionReason: RejectionReason | null; image: Size | null }> {
  const refuse = (rejectionReason: RejectionReason, image: Size | null = null) => ({ rejectionReason, image });
  if (opensAsPdf(file) || endsAsZip(file)) return refuse("content_type_mismatch");
  const structure = readStructure(file, contentType);
  // The limits of the header are checked before anything else is read.
  if (structure !== null && isTooLarge(structure)) return refuse("image_too_large", sizeOf(structure));
  if (holdsActiveMarkup(file)) return refuse("content_type_mismatch");
  if (structure === null || structure.endsAt === null) return refuse("image_undecodable");
  if (isFollowedByAnother(file, contentType, structure.endsAt)) return refuse("content_type_mismatch");
  const size = sizeOf(structure);
  return (await decodes(path, structure.frames))
    ? { rejectionReason: null, image: size }
    : refuse("image_undecodable", size);
}

function sizeOf({ width, height, frames }: ImageStructure): Size {
  return { width, height, frames };
}

function isTooLarge({ width, height, frames, bytesPerPixel }: ImageStructure): boolean {
  const pixels = width * height * frames;
  return frames > imageFramesMax || pixels > imagePixelsMax || pixels * bytesPerPixel > imageDecodedBytesMax;
}

function readStructure(file: ByteFile, contentType: ImageContentType): ImageStructure | null {
  try {
    switch (contentType) {
      case "image/png":
        return readPngStructure(file);
      case "image/gif":
        return readGifStructure(file, imageFramesMax);
      case "image/jpeg":
        return readJpegStructure(file);
    }
  } catch (error) {
    if (error instanceof BrokenImage) return null;
    throw error;
  }
}

/**
 * Returns whether another file seems to follow the end of an image. After a PNG or GIF, anything except a little
 * padding counts. After a JPEG, phones store more pictures, so only the beginnings of other formats count.
 */
function isFollowedByAnother(file: ByteFile, contentType: ImageContentType, endsAt: number): boolean {
  if (endsAt >= file.size) return endsAt > file.size;
  const length = file.size - endsAt;
  if (contentType !== "image/jpeg") return length > paddingBytesMax || !isPadding(file.at(endsAt, length));
  return length > trailerBytesMax || holdsForeignSignature(file.at(endsAt, length).toString("latin1"));
}

function isPadding(bytes: Buffer): boolean {
  return bytes.every((byte) => byte === 0x00 || byte === 0x0a);
}

/** The warnings of libjpeg for an image whose data ends before its last pixel. */
const cutShort = /premature end/i;

/**
 * Returns whether every pixel of every frame can be decoded. Viewers ignore warnings, such as those about stray bytes
 * that cameras leave between segments; only a warning about missing pixels counts.
 */
async function decodes(path: string, frames: number): Promise<boolean> {
  const problem = await decodeProblem(path, frames, "warning");
  if (problem === null) return true;
  return !cutShort.test(problem) && (await decodeProblem(path, frames, "error")) === null;
}

/** Decodes every pixel without keeping any of them. Returns the decoder's message if it fails. */
async function decodeProblem(path: string, frames: number, failOn: "warning" | "error"): Promise<string | null> {
  try {
    await sharp(path, { limitInputPixels: imagePixelsMax, failOn, sequentialRead: true, pages: frames > 1 ? -1 : 1 })
      .timeout({ seconds: decodeSeconds })
      .resize(1, 1, { fit: "fill", fastShrinkOnLoad: false })
      .raw()
      .toBuffer();
    return null;
  } catch (error) {
    return (error as Error).message;
  }
}
