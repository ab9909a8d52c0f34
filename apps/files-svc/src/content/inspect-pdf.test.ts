import { deflateSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import type { ByteFile } from "./byte-file.ts";
import { inspectPdf } from "./inspect-pdf.ts";

const head = "%PDF-1.7\n1 0 obj\n<< /Type /Catalog /Pages 2 0 R >>\nendobj\n";
const tail = "trailer\n<< /Root 1 0 R >>\nstartxref\n0\n%%EOF\n";

/** A file in memory that counts how many bytes were read. */
function counted(...parts: (string | Uint8Array)[]): { file: ByteFile; asked: () => number } {
  const bytes = Buffer.concat(parts.map((part) => (typeof part === "string" ? Buffer.from(part, "latin1") : part)));
  let asked = 0;
  const at = (offset: number, length: number): Buffer => {
    const found = bytes.subarray(offset, offset + length);
    asked += found.length;
    return found;
  };
  const file = { size: bytes.length, at, indexOf: (byte: number, from: number) => bytes.indexOf(byte, from) };
  return { file: { ...file, close: () => {} }, asked: () => asked };
}
const inspect = (...objects: (string | Uint8Array)[]) => {
  const verdict = inspectPdf(counted(head, ...objects, tail).file);
  return verdict.kind === "refused" ? verdict.reason : verdict.kind;
};

const action = "1 0 << /S /JavaScript /JS (app.alert(1)) >>";
const streamOf = (dictionary: string, content: string): Buffer => {
  const data = deflateSync(Buffer.from(content, "latin1"));
  const opening = `7 0 obj\n<< ${dictionary} /Filter /FlateDecode /Length ${data.length} >>\nstream\n`;
  return Buffer.concat([Buffer.from(opening, "latin1"), data, Buffer.from("\nendstream\nendobj\n", "latin1")]);
};

describe("a stream with /N and /First", () => {
  it.each([
    ["of type ObjStm", "/Type /ObjStm /N 1 /First 4"],
    ["of another type", "/Type /XObject /N 1 /First 4"],
    ["of no type", "/N 1 /First 4"],
    ["with its entries escaped", "/#4e 1 /F#69rst 4"],
    ["with a string that looks like another object", "/N 1 /X (endobj 8 0 obj << >> stream) /First 4"],
    ["with words between its entries that readers pass over", "/N 1 stream endobj /First 4"],
    ["with a comment that closes it", "/N 1 % >> endobj\n /First 4"],
  ])("finds a script or program in an object stream: %s", (_name, dictionary) => {
    expect(inspect(streamOf(dictionary, action))).toBe("pdf_unsafe");
    expect(inspect(streamOf(dictionary, "1 0 << /S /Launch /F (cmd.exe) >>"))).toBe("pdf_unsafe");
    expect(inspect(streamOf(dictionary, "1 0 << /Type /Font >>"))).toBe("safe");
  });

  it("inspects an object stream inside the data of another stream", () => {
    const inner = streamOf("/N 1 /First 4", action);
    expect(inspect("6 0 obj\n<< /Length 9 >>\nstream\n", inner, "\nendstream\nendobj\n")).toBe("pdf_unsafe");
  });

  it("does not treat streams with only /N or only /First as object streams", () => {
    expect(inspect(streamOf("/N 3", "no objects"), "8 0 obj\n<< /Type /Outlines /First 9 0 R >>\nendobj\n")).toBe(
      "safe",
    );
  });
});

describe("a hostile PDF", () => {
  const shapes: [string, (times: number) => string][] = [
    ["names of object streams", (times) => "/ObjStm ".repeat(times)],
    ["objects that are never closed", (times) => "1 0 obj << ".repeat(times)],
    ["streams that never end", (times) => "/JS stream\n".repeat(times)],
    ["object streams that share one end", (times) => "1 0 obj << /N 1 /First 4 >> stream\n".repeat(times)],
    ["strings that are never closed", (times) => "1 0 obj (".repeat(times)],
    ["comments that hold objects", (times) => `${"1 0 obj % ".repeat(times)}\n`],
    ["white space before a word", (times) => `1 0 obj ${" ".repeat(10 * times)}`],
  ];
  it.each(shapes)("inspects a hostile PDF in time proportional to its size: %s", (_name, make) => {
    for (const times of [10_000, 40_000, 160_000]) {
      const { file, asked } = counted(head, make(times), "endstream\nendobj\n", tail);
      inspectPdf(file);
      expect(asked() / file.size, `${file.size} bytes`).toBeLessThan(20);
    }
  });
});
