/** Structure of an image file, read without decoding pixels. */
export type ImageStructure = {
  readonly width: number;
  readonly height: number;
  readonly frames: number;
  /** Bytes of a decoded pixel: channels times bytes of a channel. */
  readonly bytesPerPixel: number;
  /** Where the image ends; bytes behind it are not part of it. Null when the end was not found. */
  readonly endsAt: number | null;
};

/** Thrown when the bytes do not follow the format. */
export class BrokenImage extends Error {
  override readonly name = "BrokenImage";
}
