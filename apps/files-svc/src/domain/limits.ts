/** How long an upload token can be used, in milliseconds. */
export const uploadGrantMs = 15 * 60_000;

/** How long a download URL is valid, in milliseconds. */
export const downloadGrantMs = 5 * 60_000;

/** How long an expired download grant is kept, in milliseconds, so that a late retry with its key still recovers it. */
export const downloadGrantKeptMs = 30 * 86_400_000;

/** Number of files that a worker classifies concurrently; with S3, each has a copy in WORK_DIRECTORY. */
export const classificationsAtOnce = 4;

/** Maximum number of pixels of an image, over all its frames. */
export const imagePixelsMax = 50_000_000;

/** Maximum size of a decoded image in bytes, over all its frames: width × height × channels × bytes per channel. */
export const imageDecodedBytesMax = 256 * 1024 * 1024;

export const imageFramesMax = 60;

/**
 * Limit on the data segment of a child process, in bytes, which bounds its memory. About 630 MiB are reserved when it
 * starts, and hardly used. Decoding the largest image needs another 200 MiB. Rendering also needs a rotated copy and
 * the memory of the encoder.
 */
export const inspectionBytesMax = 1024 * 1024 * 1024;
export const renderingBytesMax = 1536 * 1024 * 1024;

/** Minimum rate of an upload. A slower sender is disconnected, because it occupies a connection and a reservation. */
export type UploadPace = {
  /** Minimum number of bytes per second, measured over the window. */
  readonly minimumRate: number;
  readonly windowMs: number;
  /** Maximum duration of a whole upload, in milliseconds. */
  readonly totalMs: number;
};

export const uploadPace: UploadPace = { minimumRate: 64 * 1024, windowMs: 30_000, totalMs: 2 * 3_600_000 };
