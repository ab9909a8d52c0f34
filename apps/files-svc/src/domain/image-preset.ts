/** Formats in which a public image may be published. */
export const imageFormats = ["jpeg", "png", "webp", "avif"] as const;

export type ImageFormat = (typeof imageFormats)[number];

/** How a public image is re-encoded. Every preset removes all metadata and applies the orientation. */
export type ImageSettings = {
  readonly format: ImageFormat;
  /** Maximum width in pixels. An image is scaled down to fit, but never up. */
  readonly maxWidth: number;
  readonly maxHeight: number;
  /** Quality from 1 to 100. */
  readonly quality: number;
  /**
   * The colour behind transparent pixels, as `#rrggbb` in lower case. Null means white in JPEG, which has no
   * transparency, and transparent in the other formats.
   */
  readonly background: string | null;
};

/** An approved preset. `revision` counts the changes of its settings. */
export type ImagePreset = ImageSettings & {
  readonly id: string;
  readonly name: string;
  readonly revision: number;
  readonly updatedAt: Date;
};

/** File extension and media type of each format. */
export const imageFormatTypes = {
  jpeg: { extension: "jpg", contentType: "image/jpeg" },
  png: { extension: "png", contentType: "image/png" },
  webp: { extension: "webp", contentType: "image/webp" },
  avif: { extension: "avif", contentType: "image/avif" },
} as const satisfies Record<ImageFormat, { extension: string; contentType: string }>;

/** Maximum side length of a preset. It is the largest that all formats support (WebP: 16383). */
export const presetSideMax = 16_383;

/** Lists the violations of a preset's settings, one line for each. The list is empty if the preset is valid. */
export function presetProblems(
  preset: Omit<ImageSettings, "format" | "background"> & { name: string; format: string; background: string },
): string[] {
  const problems: string[] = [];
  const isWithin = (value: number, max: number): boolean => Number.isInteger(value) && value >= 1 && value <= max;
  if (!/^[a-z][a-z0-9_.-]{0,119}$/.test(preset.name))
    problems.push("name: lower-case letters, digits, . _ -, at most 120");
  if (!imageFormats.some((format) => format === preset.format))
    problems.push(`format: one of ${imageFormats.join(", ")}`);
  if (!isWithin(preset.maxWidth, presetSideMax)) problems.push(`max_width: 1 to ${presetSideMax} pixels`);
  if (!isWithin(preset.maxHeight, presetSideMax)) problems.push(`max_height: 1 to ${presetSideMax} pixels`);
  if (!isWithin(preset.quality, 100)) problems.push("quality: 1 to 100");
  if (preset.background !== "" && !/^#[0-9a-f]{6}$/i.test(preset.background))
    problems.push("background: # and six hexadecimal digits, such as #ffffff, or nothing");
  return problems;
}

/** Public URL of a version of a Public Asset. */
export function publicAssetUrl(
  publicBaseUrl: string,
  assetId: string,
  { sha256, format }: { readonly sha256: string; readonly format: ImageFormat },
): string {
  return `${publicBaseUrl}/api/v1/public-assets/${assetId}/${sha256}.${imageFormatTypes[format].extension}`;
}
