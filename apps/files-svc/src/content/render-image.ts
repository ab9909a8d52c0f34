import sharp from "sharp";
import type { ImageSettings } from "../domain/image-preset.ts";
import { imagePixelsMax } from "../domain/limits.ts";

const renderSeconds = 25;
const jpegGround = "#ffffff";

/**
 * Re-encodes an image for the public: orientation applied, scaled down to fit, converted to sRGB, and nothing of the
 * original kept except its pixels. WebP keeps an animation; the other formats show its first frame.
 */
export async function renderImage(source: string, target: string, settings: ImageSettings): Promise<void> {
  const { format, maxWidth, maxHeight, quality, background } = settings;
  // Without a background, an encoder without transparency would show black, which hides a black sign.
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
    // Without keepMetadata or keepIccProfile, sharp writes no metadata: pixels are converted to sRGB with the embedded profile, which is then dropped.
    .toColourspace("srgb")
    .toFormat(format, format === "png" ? { compressionLevel: 9 } : { quality })
    .toFile(target);
}
