/** Structure of an image file. It is read without decoding pixels. */
export type ImageStructure = {
  readonly width: number;
  readonly height: number;
  readonly frames: number;
  /** Size of a decoded pixel in bytes: channels times bytes per channel. */
  readonly bytesPerPixel: number;
  /** Offset of the end of the image; bytes after it are not part of it. Null if the end was not found. */
  readonly endsAt: number | null;
};

/** Thrown if the bytes do not follow the format. */
export class BrokenImage extends Error {
  override readonly name = "BrokenImage";
}
