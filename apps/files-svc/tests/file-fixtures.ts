import { crc32, deflateSync } from "node:zlib";
import sharp from "sharp";

type Bytes = Buffer<ArrayBuffer>;
const copy = (bytes: Uint8Array): Bytes => Buffer.from(bytes);

/** A picture with some detail, so that encoders have something to do. */
function picture(width: number, height: number) {
  const pixels = Buffer.alloc(width * height * 3);
  for (let at = 0; at < pixels.length; at += 1) pixels[at] = (at * 31 + Math.floor(at / 97)) % 256;
  return sharp(pixels, { raw: { width, height, channels: 3 } });
}

export const png = async (width = 40, height = 30): Promise<Bytes> =>
  copy(await picture(width, height).png().toBuffer());
export const jpeg = async (width = 40, height = 30): Promise<Bytes> =>
  copy(await picture(width, height).jpeg().toBuffer());

/** An animated GIF with different frames. */
export async function gif(frames = 3, width = 16, height = 16): Promise<Bytes> {
  const pixels = Buffer.alloc(width * height * frames * 3);
  for (let frame = 0; frame < frames; frame += 1) {
    pixels.fill((frame * 37) % 256, frame * width * height * 3, (frame + 1) * width * height * 3);
  }
  const raw = { width, height: height * frames, channels: 3 as const, pageHeight: height };
  return copy(await sharp(pixels, { raw }).gif({ keepDuplicateFrames: true }).toBuffer());
}

/** A black square in the middle of a transparent background, encoded as colour with an alpha channel. */
export function transparentSign(side = 24) {
  const pixels = Buffer.alloc(side * side * 4);
  for (let y = side / 3; y < (2 * side) / 3; y += 1) {
    for (let x = side / 3; x < (2 * side) / 3; x += 1) pixels[(y * side + x) * 4 + 3] = 255;
  }
  return sharp(pixels, { raw: { width: side, height: side, channels: 4 } });
}

/**
 * The same picture without an alpha channel. Instead, one very dark colour, which is that of the background, is
 * declared transparent (tRNS).
 */
export function keyedSign(kind: "grey" | "colour", side = 24): Bytes {
  const channels = kind === "grey" ? 1 : 3;
  const header = Buffer.alloc(13);
  header.writeUInt32BE(side, 0);
  header.writeUInt32BE(side, 4);
  header.set([8, kind === "grey" ? 0 : 2, 0, 0, 0], 8);
  const rows = Buffer.alloc(side * (1 + side * channels));
  const isSign = (at: number): boolean => at >= side / 3 && at < (2 * side) / 3;
  for (let y = 0; y < side; y += 1) {
    for (let x = 0; x < side; x += 1) {
      const at = y * (1 + side * channels) + 1 + x * channels;
      rows.fill(isSign(x) && isSign(y) ? 0 : 1, at, at + channels);
    }
  }
  const key = kind === "grey" ? Buffer.from([0, 1]) : Buffer.from([0, 1, 0, 1, 0, 1]);
  return Buffer.concat([
    pngSignature,
    pngChunk("IHDR", header),
    pngChunk("tRNS", key),
    pngChunk("IDAT", deflateSync(rows)),
    pngChunk("IEND", Buffer.alloc(0)),
  ]);
}

/** A JPEG photograph with bytes between two of its segments, which decoders skip with a warning. */
export async function jpegWithStrayBytes(count: number): Promise<Bytes> {
  const bytes = await jpeg();
  const frame = bytes.indexOf(Buffer.from([0xff, 0xc0]));
  return Buffer.concat([bytes.subarray(0, frame), Buffer.alloc(count, 0x12), bytes.subarray(frame)]);
}

/** A JPEG that contains a GPS position and an orientation of a quarter turn. */
export async function jpegWithGps(): Promise<Bytes> {
  return copy(
    await picture(60, 40)
      .withExif({
        IFD0: { Copyright: "Secret Photographer", Orientation: "6" },
        IFD3: {
          GPSLatitudeRef: "N",
          GPSLatitude: "35/1 41/1 22/1",
          GPSLongitudeRef: "E",
          GPSLongitude: "139/1 41/1 30/1",
        },
      })
      .withMetadata({ orientation: 6 })
      .jpeg()
      .toBuffer(),
  );
}

/** A JPEG in the colour space Display P3, with its profile. */
export async function wideGamutJpeg(): Promise<Bytes> {
  return copy(
    await sharp({ create: { width: 20, height: 20, channels: 3, background: { r: 255, g: 0, b: 0 } } })
      .withIccProfile("p3")
      .jpeg({ quality: 100 })
      .toBuffer(),
  );
}

/** One PNG chunk. */
export function pngChunk(type: string, data: Uint8Array): Bytes {
  const chunk = Buffer.alloc(12 + data.byteLength);
  chunk.writeUInt32BE(data.byteLength, 0);
  chunk.write(type, 4, "latin1");
  chunk.set(data, 8);
  chunk.writeUInt32BE(crc32(chunk.subarray(4, 8 + data.byteLength)), 8 + data.byteLength);
  return chunk;
}

const pngSignature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/**
 * A complete, valid PNG whose pixels are black and have one bit. 20,000 × 20,000 pixels take 50 KB in the file and
 * 400 MB in memory.
 */
export function pngBomb(side = 20_000): Bytes {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(side, 0);
  header.writeUInt32BE(side, 4);
  header.set([1, 0, 0, 0, 0], 8);
  const rows = Buffer.alloc((1 + Math.ceil(side / 8)) * side);
  const data = deflateSync(rows, { level: 1 });
  return Buffer.concat([
    pngSignature,
    pngChunk("IHDR", header),
    pngChunk("IDAT", data),
    pngChunk("IEND", Buffer.alloc(0)),
  ]);
}

/** A truncated interlaced PNG with sixteen bits per channel. Its header alone shows how much memory it would need. */
export function deepPng(side: number): Bytes {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(side, 0);
  header.writeUInt32BE(side, 4);
  header.set([16, 2, 0, 0, 1], 8);
  const data = deflateSync(Buffer.alloc(1_024));
  return Buffer.concat([
    pngSignature,
    pngChunk("IHDR", header),
    pngChunk("IDAT", data),
    pngChunk("IEND", Buffer.alloc(0)),
  ]);
}

/** A PNG with an additional chunk after its header. */
export async function pngWithChunk(type: string, data: string): Promise<Bytes> {
  const bytes = await png();
  const behindHeader = 8 + 25;
  return Buffer.concat([
    bytes.subarray(0, behindHeader),
    pngChunk(type, Buffer.from(data)),
    bytes.subarray(behindHeader),
  ]);
}

/** A small PDF. `catalog` is inserted into its catalog, and each of `extra` becomes an object of its own. */
export function pdf(catalog = "", extra: readonly (string | Uint8Array)[] = []): Bytes {
  const head = [
    "%PDF-1.7\n%\u00e2\u00e3\u00cf\u00d3\n",
    `1 0 obj\n<< /Type /Catalog /Pages 2 0 R ${catalog} >>\nendobj\n`,
    "2 0 obj\n<< /Type /Pages /Kids [3 0 R] /Count 1 >>\nendobj\n",
    "3 0 obj\n<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 200] >>\nendobj\n",
  ];
  const tail = "trailer\n<< /Root 1 0 R /Size 9 >>\nstartxref\n0\n%%EOF\n";
  const parts = [...head, ...extra, tail];
  return Buffer.concat(
    parts.map((part) => (typeof part === "string" ? Buffer.from(part, "latin1") : Buffer.from(part))),
  );
}

/** An object stream with the given content, packed as PDF writers pack it. */
export function objectStream(content: string, dictionary = "/Filter /FlateDecode", pack = true): Bytes {
  const data = pack ? deflateSync(Buffer.from(content, "latin1")) : Buffer.from(content, "latin1");
  return Buffer.concat([
    Buffer.from(`7 0 obj\n<< /Type /ObjStm /N 1 /First 4 ${dictionary} /Length ${data.length} >>\nstream\n`, "latin1"),
    data,
    Buffer.from("\nendstream\nendobj\n", "latin1"),
  ]);
}
