import { createHash, randomBytes } from "node:crypto";
import sharp from "sharp";
import { createLatencies } from "../load/sample.ts";
import type { Platform } from "../platform.ts";
import { atMostCheck, type Contender, type Row } from "../row.ts";
import { post, uploadAvailable, uploadPath } from "./file-objects.ts";

const ours = "POST /file-objects/{id}/public-assets";
const bare = "the same sharp call";
const preset = { format: "webp", width: 1_600, height: 1_600, quality: 80 } as const;

/** A 12 MP photograph published under a preset, beside the same rendering alone; one at a time. */
export const publicAssetRow: Row = {
  id: "B9",
  title: "Public asset from a 12 MP JPEG",
  run: async (bench) => {
    const platform = await bench.platform();
    const { id: presetId } = (await platform.ctl([
      ...["image-presets", "create", "--name", "bench", "--format", preset.format],
      ...["--max-width", `${preset.width}`, "--max-height", `${preset.height}`, "--quality", `${preset.quality}`],
    ])) as { id: string };
    const contender = (name: string, role: Contender["role"], once: () => Promise<number>): Contender => ({
      name,
      role,
      unit: "images/s",
      run: async () => {
        const latencies = createLatencies();
        const ms = [await once(), await once(), await once()];
        for (const one of ms) latencies.add(one);
        return latencies.sample(
          ms.reduce((sum, one) => sum + one, 0),
          {},
        );
      },
    });
    const measured = await bench.measure([
      contender(ours, "ours", async () => {
        const fileObjectId = await uploadPhoto(platform, await photo());
        return timed(() =>
          post(platform, `/file-objects/${fileObjectId}/public-assets`, { image_preset_id: presetId }),
        );
      }),
      contender(bare, "baseline", async () => {
        const bytes = await photo();
        return timed(() =>
          sharp(bytes)
            .autoOrient()
            .resize(preset.width, preset.height, { fit: "inside", withoutEnlargement: true })
            .toColourspace("srgb")
            .toFormat(preset.format, { quality: preset.quality })
            .toBuffer(),
        );
      }),
    ]);
    return { measured, checks: [atMostCheck(measured, [ours, bare], 1 / 0.95, "p50Ms")], notes: [] };
  },
};

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAtMs = performance.now();
  await work();
  return performance.now() - startedAtMs;
}

/** 4,000 × 3,000 pixels of noise over a gradient, never the same twice: an image published before costs nothing again. */
async function photo(): Promise<Buffer<ArrayBuffer>> {
  const noise = await sharp(randomBytes(400 * 300 * 3), { raw: { width: 400, height: 300, channels: 3 } })
    .resize(4_000, 3_000, { kernel: "cubic" })
    .jpeg({ quality: 85 })
    .toBuffer();
  return Buffer.from(noise);
}

async function uploadPhoto(platform: Platform, bytes: Buffer<ArrayBuffer>): Promise<string> {
  const grant = await post<{ file_object_id: string; upload_token: string }>(platform, "/file-objects/upload-grants", {
    expected_sha256: createHash("sha256").update(bytes).digest("hex"),
    expected_content_type: "image/jpeg",
    maximum_bytes: bytes.byteLength,
  });
  return uploadAvailable(platform, grant, async () => {
    const response = await fetch(`http://127.0.0.1:${platform.port}${uploadPath(grant)}`, {
      method: "PUT",
      headers: { "content-type": "image/jpeg" },
      body: bytes,
    });
    if (!response.ok) throw new Error(`the upload answered ${response.status}: ${await response.text()}`);
  });
}
