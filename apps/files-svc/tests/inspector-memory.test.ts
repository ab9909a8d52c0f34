import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createInspectors } from "../src/content/inspectors.ts";
import { inspectionBytesMax } from "../src/domain/limits.ts";
import { watchMemory } from "./process-memory.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "inspector-memory-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/**
 * The side of a square image with the maximum number of pixels. It is interlaced, so that all pixels are decoded at
 * the same time.
 */
const side = 7_071;

const shapes: [string, 1 | 4, "uchar" | "ushort"][] = [
  ["of four channels in eight bits", 4, "uchar"],
  ["of one channel in sixteen bits", 1, "ushort"],
];

describe("an interlaced PNG of 7,071 × 7,071", () => {
  test.each(shapes)("inspects an interlaced PNG of 7,071 × 7,071 within 300 MB, %s", async (_name, channels, depth) => {
    const path = join(folder, `${channels}.png`);
    const background = { r: 10, g: 200, b: 30, alpha: 0.5 };
    const image = sharp({ create: { width: side, height: side, channels: 4, background } });
    await (channels === 4 ? image : image.toColourspace(depth === "ushort" ? "grey16" : "b-w").removeAlpha())
      .png({ progressive: true })
      .toFile(path);
    const inspectors = createInspectors(1, inspectionBytesMax);
    const growth = watchMemory(process.pid);
    try {
      const { size } = await stat(path);
      const inspection = await inspectors.inspect("client", path, "image/png", size);
      expect(inspection).toEqual({ rejectionReason: null, image: { width: side, height: side, frames: 1 } });
    } finally {
      inspectors.close();
    }
    expect(growth.stop()).toBeLessThan(300_000_000);
  });
});
