import { newId } from "@platform/kit/process/secrets";
import { FileObjectStatus } from "@platform/proto/files/v1/files_service";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { FileContentType } from "../src/domain/file-object.ts";
import * as fixtures from "./file-fixtures.ts";
import { type FilesHarness, sha256, startFilesHarness } from "./files-harness.ts";

let harness: FilesHarness;
beforeAll(async () => {
  harness = await startFilesHarness();
});
afterAll(() => harness.close());

async function upload(bytes: Buffer<ArrayBuffer>, contentType: FileContentType): Promise<string> {
  const grant = await harness.grant(bytes, contentType);
  await harness.put(grant.uploadToken, bytes);
  const file = await harness.files.completeFileObject({ fileObjectId: grant.fileObjectId }, harness.call());
  expect(file.status).toBe(FileObjectStatus.AVAILABLE);
  return grant.fileObjectId;
}

let presets = 0;
async function preset(format: string, maxWidth = 32, maxHeight = 32, name = ""): Promise<string> {
  presets += 1;
  const request = { name: name === "" ? `preset-${presets}` : name, format, maxWidth, maxHeight, quality: 90 };
  return (await harness.admin.createImagePreset(request, harness.call())).imagePreset?.id ?? "";
}

const publish = (fileObjectId: string, imagePresetId: string, key: string = newId()) =>
  harness.files.createPublicAsset({ fileObjectId, imagePresetId }, harness.call(key));

describe("a Public Asset", () => {
  it("re-encodes the image with its orientation applied and without metadata", async () => {
    const source = await fixtures.jpegWithGps();
    const before = await sharp(source).metadata();
    expect([before.orientation, before.exif === undefined]).toEqual([6, false]);
    expect(source.includes("Secret Photographer")).toBe(true);

    const asset = await publish(await upload(source, "image/jpeg"), await preset("jpeg", 500, 500));
    const got = await harness.get(asset.url);
    expect(got.status).toBe(200);
    expect(sha256(got.body)).toBe(asset.sha256);
    const after = await sharp(got.body).metadata();
    expect([after.width, after.height]).toEqual([40, 60]);
    expect([after.orientation, after.exif, after.icc, after.xmp, after.iptc]).toEqual(Array(5).fill(undefined));
    expect(got.body.includes("Secret Photographer")).toBe(false);
    expect(got.body.includes("Exif")).toBe(false);
  });

  it("serves an asset permanently under a URL that names its bytes", async () => {
    const asset = await publish(await upload(await fixtures.png(), "image/png"), await preset("png"));
    expect(asset.url).toBe(`http://127.0.0.1:8080/api/v1/public-assets/${asset.id}/${asset.sha256}.png`);
    const got = await harness.get(asset.url);
    expect(got.headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
    expect(got.headers.get("etag")).toBe(`"${asset.sha256}"`);
    expect(got.headers.get("content-type")).toBe("image/png");
    expect(got.headers.get("x-content-type-options")).toBe("nosniff");
    const again = await harness.get(asset.url, { headers: { "if-none-match": `"${asset.sha256}"` } });
    expect([again.status, again.body.length]).toEqual([304, 0]);
    for (const wrong of [asset.url.replace(".png", ".jpg"), asset.url.replace(asset.sha256, "0".repeat(64))]) {
      expect((await harness.get(wrong)).code).toBe("download_not_found");
    }
  });

  it.each([["jpeg"], ["png"], ["webp"], ["avif"]])(
    "renders an image as %s, scaled down to fit and never up",
    async (format) => {
      const file = await upload(await fixtures.png(100, 50), "image/png");
      const small = await sharp(
        (await harness.get((await publish(file, await preset(format, 20, 20))).url)).body,
      ).metadata();
      expect([small.width, small.height]).toEqual([20, 10]);
      expect(small.format).toBe(format === "avif" ? "heif" : format);
      const large = await sharp(
        (await harness.get((await publish(file, await preset(format, 900, 900))).url)).body,
      ).metadata();
      expect([large.width, large.height]).toEqual([100, 50]);
    },
  );

  it("converts an image with a wide colour gamut to sRGB and drops the profile", async () => {
    const source = await fixtures.wideGamutJpeg();
    expect((await sharp(source).metadata()).icc).toBeDefined();
    const asset = await publish(await upload(source, "image/jpeg"), await preset("png"));
    const { body } = await harness.get(asset.url);
    expect((await sharp(body).metadata()).icc).toBeUndefined();
    const [red = 0, green = 255, blue = 255] = await sharp(body).raw().toBuffer();
    // The purest red of Display P3 is outside of sRGB. After the conversion, it is the purest red of sRGB.
    expect(red).toBeGreaterThan(250);
    expect([green, blue].every((channel) => channel < 20)).toBe(true);
  });

  it("keeps an animation in WebP, and shows its first frame in any other format", async () => {
    const file = await upload(await fixtures.gif(3), "image/gif");
    const animated = await sharp((await harness.get((await publish(file, await preset("webp"))).url)).body).metadata();
    expect(animated.pages).toBe(3);
    const still = await sharp((await harness.get((await publish(file, await preset("jpeg"))).url)).body).metadata();
    expect(still.pages ?? 1).toBe(1);
  });
});

describe("a transparent picture", () => {
  /** A black sign in the middle of a transparent background, in each way in which a file can encode transparency. */
  const pictures: [string, FileContentType, () => Promise<Buffer>][] = [
    ["colour with alpha", "image/png", () => fixtures.transparentSign().png().toBuffer()],
    ["grey with alpha", "image/png", () => fixtures.transparentSign().toColourspace("b-w").png().toBuffer()],
    ["16 bits a channel", "image/png", () => fixtures.transparentSign().toColourspace("rgb16").png().toBuffer()],
    ["16 bits of grey", "image/png", () => fixtures.transparentSign().toColourspace("grey16").png().toBuffer()],
    ["a palette", "image/png", () => fixtures.transparentSign().png({ palette: true, colours: 4 }).toBuffer()],
    ["a transparent colour of grey", "image/png", async () => fixtures.keyedSign("grey")],
    ["a transparent colour", "image/png", async () => fixtures.keyedSign("colour")],
    ["a GIF", "image/gif", () => fixtures.transparentSign().gif().toBuffer()],
  ];
  const shown = async (url: string, at: "ground" | "sign"): Promise<number[]> => {
    const { data, info } = await sharp((await harness.get(url)).body)
      .raw()
      .toBuffer({ resolveWithObject: true });
    const [x, y] = at === "ground" ? [2, 2] : [info.width / 2, info.height / 2];
    return [...data.subarray((y * info.width + x) * info.channels).subarray(0, info.channels)];
  };
  const all = (levels: number[], test: (level: number) => boolean): boolean => levels.every(test);

  it.each(pictures)(
    "shows a transparent picture on a white background in JPEG: %s",
    async (_what, contentType, make) => {
      const file = await upload(Buffer.from(await make()), contentType);
      const { url } = await publish(file, await preset("jpeg"));
      expect(all(await shown(url, "ground"), (level) => level > 240)).toBe(true);
      expect(all(await shown(url, "sign"), (level) => level < 15)).toBe(true);
    },
  );

  it.each(["png", "webp", "avif"])("keeps a transparent picture transparent in %s", async (format) => {
    const file = await upload(Buffer.from(await fixtures.transparentSign().png().toBuffer()), "image/png");
    const { url } = await publish(file, await preset(format));
    expect((await shown(url, "ground")).at(3)).toBe(0);
  });

  it.each(["jpeg", "png", "webp"])("uses the preset's background colour in %s", async (format) => {
    const request = { name: `blue-${format}`, format, maxWidth: 32, maxHeight: 32, quality: 95, background: "#0000FF" };
    const made = (await harness.admin.createImagePreset(request, harness.call())).imagePreset;
    expect(made?.background).toBe("#0000ff");
    const file = await upload(Buffer.from(await fixtures.transparentSign().png().toBuffer()), "image/png");
    const { url } = await publish(file, made?.id ?? "");
    const [red = 255, green = 255, blue = 0, alpha = 255] = await shown(url, "ground");
    expect([red < 20, green < 20, blue > 235, alpha]).toEqual([true, true, true, 255]);
  });

  it.each(["white", "#fff", "#ffffff0", "#gggggg", "ffffff"])("refuses the background %s", async (background) => {
    const request = { name: "odd", format: "jpeg", maxWidth: 32, maxHeight: 32, quality: 90, background };
    await expect(harness.admin.createImagePreset(request, harness.call())).rejects.toThrow(/background: # and six/);
  });

  it("creates a revision for a changed background, and none for the same one", async () => {
    const request = { name: "ground", format: "jpeg", maxWidth: 32, maxHeight: 32, quality: 90 };
    const revisionOf = async (background: string) =>
      (await harness.admin.createImagePreset({ ...request, background }, harness.call())).imagePreset?.revision;
    expect([
      await revisionOf(""),
      await revisionOf(""),
      await revisionOf("#112233"),
      await revisionOf("#112233"),
    ]).toEqual([1, 1, 2, 2]);
  });
});

describe("the publication of an image", () => {
  it("returns the same asset for the same file and preset, and a new version for a changed preset", async () => {
    const file = await upload(await fixtures.png(), "image/png");
    const id = await preset("png", 16, 16, "changing");
    const first = await publish(file, id);
    const same = await publish(file, id);
    expect(same).toEqual(first);
    expect(await preset("png", 8, 8, "changing")).toBe(id);
    const second = await publish(file, id);
    expect([second.id, first.version, second.version]).toEqual([first.id, 1, 2]);
    expect(second.url).not.toBe(first.url);
    expect((await harness.get(first.url)).status).toBe(200);
    expect((await harness.get(second.url)).status).toBe(200);
  });

  it("returns the first response for a repeated key, even after the preset has changed", async () => {
    const file = await upload(await fixtures.png(), "image/png");
    const id = await preset("png", 16, 16, "replayed");
    const first = await publish(file, id, "the-key");
    await preset("png", 8, 8, "replayed");
    expect(await publish(file, id, "the-key")).toEqual({ ...first, replayed: true });
    const call = harness.call("the-key");
    const other = {
      ...call,
      context: { ...call.context, idempotency: { key: "the-key", fingerprint: "f".repeat(64) } },
    };
    await expect(
      harness.files.createPublicAsset({ fileObjectId: file, imagePresetId: id }, other),
    ).rejects.toMatchObject({ code: "idempotency_key_reused" });
  });

  it("creates one version for twenty concurrent publications", async () => {
    const file = await upload(await fixtures.png(), "image/png");
    const id = await preset("png");
    const assets = await Promise.all(Array.from({ length: 20 }, () => publish(file, id)));
    expect(new Set(assets.map((asset) => `${asset.id} ${asset.version} ${asset.sha256}`)).size).toBe(1);
  });

  it("publishes only available images of the Project Client with an approved preset", async () => {
    const id = await preset("png");
    const image = await upload(await fixtures.png(), "image/png");
    const plain = await upload(Buffer.from("text"), "text/plain");
    const waiting = await harness.grant(await fixtures.png(), "image/png");
    const refusal = (code: string) => ({ code });
    const unknown = "01999999-0000-7000-8000-000000000002";
    await expect(publish(plain, id)).rejects.toMatchObject(refusal("file_object_not_image"));
    await expect(publish(waiting.fileObjectId, id)).rejects.toMatchObject(refusal("file_object_not_available"));
    await expect(publish(image, unknown)).rejects.toMatchObject(refusal("image_preset_not_found"));
    await expect(
      harness.files.createPublicAsset({ fileObjectId: image, imagePresetId: id }, harness.call("k", unknown)),
    ).rejects.toMatchObject(refusal("file_object_not_found"));
  });
});
