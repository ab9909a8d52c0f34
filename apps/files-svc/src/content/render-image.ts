import sharp from "sharp";
import type { ImageSettings } from "../domain/image-preset.ts";
import { imagePixelsMax } from "../domain/limits.ts";

const renderSeconds = 25;
const jpegGround = "#ffffff";

/**
 * Re-encodes an image for the public: its orientation is applied, it is scaled down to fit, and it is converted to
 * sRGB. Nothing of the original is kept except its pixels. WebP keeps an animation; the other formats show its first
 * frame.
 */
export async function renderImage(source: string, target: string, settings: ImageSettings): Promise<void> {
  const { format, maxWidth, maxHeight, quality, background } = settings;
  // Without a background, an encoder that does not support transparency would show black, on which a black sign is
  // invisible.
  const ground = background ?? (format === "jpeg" ? jpegGround : null);
  const pipeline = sharp(source, {
    limitInputPixels: imagePixelsMax,
    failOn: "error",
    sequentialRead: true,
    animated: format === "webp",
  });
  await (ground === null ? pipeline : pipeline.flatten({ background: ground }))
    .timeout({ seconds: renderSeconds })
    .autoOrient()
    .resize(maxWidth, maxHeight, { fit: "inside", withoutEnlargement: true })
    // sharp writes no metadata by default. It converts the pixels to sRGB with the embedded profile, which is then
    // dropped.
    .toColourspace("srgb")
    .toFormat(format, format === "png" ? { compressionLevel: 9 } : { quality })
    .toFile(target);
}
