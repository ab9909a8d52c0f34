import { FileObjectStatus } from "@platform/proto/files/v1/files_service";
import { eventually } from "@platform/test-kit/eventually";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { FileContentType } from "../src/domain/file-object.ts";
import * as fixtures from "./file-fixtures.ts";
import { type FilesHarness, startFilesHarness } from "./files-harness.ts";
import { eicar, ownPattern, startClamd, type TestClamd } from "./start-clamd.ts";

let clamd: TestClamd;
let harness: FilesHarness;
beforeAll(async () => {
  clamd = await startClamd();
  harness = await startFilesHarness({ env: { CLAMD_URL: clamd.url } });
});
afterAll(async () => {
  await harness.close();
  await clamd.close();
});

type Bytes = Buffer<ArrayBuffer>;
const text = (value: string): Bytes => Buffer.from(value);
const join = (...parts: (Uint8Array | string)[]): Bytes =>
  Buffer.concat(parts.map((part) => (typeof part === "string" ? Buffer.from(part, "latin1") : part)));

async function classify(bytes: Bytes, contentType: FileContentType) {
  const grant = await harness.grant(bytes, contentType);
  expect((await harness.put(grant.uploadToken, bytes)).status).toBe(200);
  const { fileObjectId } = grant;
  const verdict = await eventually(async () => {
    const file = await harness.files.completeFileObject({ fileObjectId }, harness.call());
    return file.status === FileObjectStatus.QUARANTINED ? null : file;
  });
  return { fileObjectId, status: FileObjectStatus[verdict.status], reason: verdict.rejectionReason ?? null };
}

const available = (bytes: () => Bytes | Promise<Bytes>) => bytes;

describe("a harmless file", () => {
  const files: [string, FileContentType, () => Bytes | Promise<Bytes>][] = [
    ["a PNG", "image/png", available(fixtures.png)],
    ["a JPEG", "image/jpeg", available(fixtures.jpeg)],
    [
      "a JPEG with a second picture behind it, as phones write",
      "image/jpeg",
      async () => join(await fixtures.jpeg(), await fixtures.jpeg()),
    ],
    ["an animated GIF", "image/gif", () => fixtures.gif(60)],
    ["a JPEG with 64 stray bytes between segments", "image/jpeg", () => fixtures.jpegWithStrayBytes(64)],
    ["a PNG with 64 zeros behind its end", "image/png", async () => join(await fixtures.png(), Buffer.alloc(64))],
    ["a PNG with a line feed behind its end", "image/png", async () => join(await fixtures.png(), "\n")],
    ["a GIF with 64 line feeds behind its end", "image/gif", async () => join(await fixtures.gif(), "\n".repeat(64))],
    ["a PDF", "application/pdf", () => fixtures.pdf()],
    [
      "a PDF with a packed object stream",
      "application/pdf",
      () => fixtures.pdf("", [fixtures.objectStream("1 0 << /Type /Font >>")]),
    ],
    ["text", "text/plain", () => text("Dear all,\n\ta < b and b > c.\nRegards\n")],
    ["text with a byte order mark", "text/plain", () => text("\ufeffこんにちは\n")],
    ["text that begins like a bitmap", "text/plain", () => text("BMW sells cars.\n")],
    ["a character across two chunks", "text/plain", () => text(`${"a".repeat(1024 * 1024 - 1)}é end\n`)],
  ];
  it.each(files)("makes this file available: %s", async (_name, contentType, make) => {
    expect(await classify(await make(), contentType)).toMatchObject({ status: "AVAILABLE", reason: null });
  });
});

describe("a file whose content contradicts its declared type", () => {
  const files: [string, FileContentType, string, () => Bytes | Promise<Bytes>][] = [
    ["a PNG called a JPEG", "image/jpeg", "content_type_mismatch", () => fixtures.png()],
    ["text called a PDF", "application/pdf", "content_type_mismatch", () => text("just text")],
    [
      "an SVG called a PNG",
      "image/png",
      "content_type_mismatch",
      () => text('<svg xmlns="http://www.w3.org/2000/svg"/>'),
    ],
    [
      "a PNG with HTML behind it",
      "image/png",
      "content_type_mismatch",
      async () => join(await fixtures.png(), "<html><script>alert(1)</script>"),
    ],
    [
      "a PNG with HTML in a text chunk",
      "image/png",
      "content_type_mismatch",
      () => fixtures.pngWithChunk("tEXt", "Comment\0<script>alert(1)</script>"),
    ],
    [
      "a JPEG with 65 stray bytes between segments",
      "image/jpeg",
      "image_undecodable",
      () => fixtures.jpegWithStrayBytes(65),
    ],
    [
      "a PNG with 65 zeros behind its end",
      "image/png",
      "content_type_mismatch",
      async () => join(await fixtures.png(), Buffer.alloc(65)),
    ],
    [
      "a GIF with 65 line feeds behind its end",
      "image/gif",
      "content_type_mismatch",
      async () => join(await fixtures.gif(), "\n".repeat(65)),
    ],
    [
      "a GIF with one other byte among zeros behind its end",
      "image/gif",
      "content_type_mismatch",
      async () => join(await fixtures.gif(), "\0\0x\0"),
    ],
    [
      "a PNG with a ZIP behind it",
      "image/png",
      "content_type_mismatch",
      async () => join(await fixtures.png(), "PK\u0003\u0004data"),
    ],
    ["GIF89a and script", "image/gif", "content_type_mismatch", () => text("GIF89a/*<script>*/=1;alert(1)//</script>")],
    [
      "a GIF with a script in its comment",
      "image/gif",
      "content_type_mismatch",
      async () => {
        const bytes = await fixtures.gif();
        const comment = join(Buffer.from([0x21, 0xfe, 26]), "<script>alert(1)</script>\n", Buffer.from([0]));
        const behindTable = 13 + 3 * 2 ** (((bytes[10] ?? 0) & 7) + 1);
        return join(bytes.subarray(0, behindTable), comment, bytes.subarray(behindTable));
      },
    ],
    [
      "a PDF with a JPEG in front",
      "application/pdf",
      "content_type_mismatch",
      async () => join((await fixtures.jpeg()).subarray(0, 200), fixtures.pdf()),
    ],
    [
      "a JPEG that also opens as a PDF",
      "image/jpeg",
      "content_type_mismatch",
      async () => {
        const bytes = await fixtures.jpeg();
        const comment = join(Buffer.from([0xff, 0xfe, 0, 12]), "%PDF-1.7\n\n");
        return join(bytes.subarray(0, 2), comment, bytes.subarray(2));
      },
    ],
    [
      "a PDF with a page behind its end",
      "application/pdf",
      "content_type_mismatch",
      () => join(fixtures.pdf(), "<html><body>"),
    ],
    ["text that holds HTML", "text/plain", "content_type_mismatch", () => text("hello\n<script>alert(1)</script>\n")],
    [
      "text that begins as a page",
      "text/plain",
      "content_type_mismatch",
      () => text('\n\n<img src=x onerror="alert(1)">'),
    ],
    ["text that is XML", "text/plain", "content_type_mismatch", () => text('<?xml version="1.0"?><a/>')],
    ["text with binary bytes", "text/plain", "content_type_mismatch", () => text("abc\u0000def")],
    ["a PNG called text", "text/plain", "content_type_mismatch", () => fixtures.png()],
    ["text that is Latin-1", "text/plain", "text_not_utf8", () => Buffer.from("caf\u00e9 au lait", "latin1")],
    [
      "text cut in the middle of a character",
      "text/plain",
      "text_not_utf8",
      () => text("abc é").subarray(0, 5) as Bytes,
    ],
    ["a bomb: a PNG of 20,000 × 20,000", "image/png", "image_too_large", () => fixtures.pngBomb()],
    ["a bomb: a PNG of 7,071 × 7,071 in sixteen bits", "image/png", "image_too_large", () => fixtures.deepPng(7_071)],
    ["a GIF of 61 frames", "image/gif", "image_too_large", () => fixtures.gif(61)],
    [
      "a PNG cut short",
      "image/png",
      "image_undecodable",
      async () => (await fixtures.png(200, 200)).subarray(0, -100) as Bytes,
    ],
    [
      "a JPEG with its pixels gone",
      "image/jpeg",
      "image_undecodable",
      async () => join((await fixtures.jpeg(200, 200)).subarray(0, 700), Buffer.from([0xff, 0xd9])),
    ],
  ];
  it.each(files)("refuses this file: %s", async (_name, contentType, reason, make) => {
    const before = await harness.storageUsed();
    const refused = await classify(await make(), contentType);
    expect(refused).toMatchObject({ status: "REJECTED", reason });
    await eventually(async () => (await harness.storageUsed()) === before, { what: "its bytes are released" });
    expect((await harness.storedFiles()).filter((name) => name.includes(refused.fileObjectId))).toEqual([]);
  });
});

describe("an unsafe PDF", () => {
  const action = "1 0 << /S /JavaScript /JS (app.alert(1)) >>";
  const files: [string, () => Bytes][] = [
    ["JavaScript on opening", () => fixtures.pdf("/OpenAction << /S /JavaScript /JS (app.alert(1)) >>")],
    ["JavaScript with its name escaped", () => fixtures.pdf("/OpenAction << /S /J#61vaScr#69pt /#4aS (x) >>")],
    ["a launch action", () => fixtures.pdf("/OpenAction << /S /Launch /F (cmd.exe) >>")],
    ["script of a rendition action", () => fixtures.pdf("/OpenAction << /S /Rendition /JS (x) /OP 0 >>")],
    ["a form of XFA", () => fixtures.pdf("/AcroForm << /XFA 5 0 R >>")],
    ["JavaScript packed into an object stream", () => fixtures.pdf("", [fixtures.objectStream(action)])],
    [
      "an object stream by an escaped name",
      () =>
        fixtures.pdf("", [
          Buffer.from(fixtures.objectStream(action).toString("latin1").replace("ObjStm", "Obj#53tm"), "latin1"),
        ]),
    ],
    [
      "an object stream packed in a way nobody can look into",
      () => fixtures.pdf("", [fixtures.objectStream(action, "/Filter [/ASCIIHexDecode /FlateDecode]")]),
    ],
    [
      "an object stream that is encrypted",
      () =>
        fixtures.pdf("/Encrypt 8 0 R", [
          fixtures.objectStream("no deflate data at all", "/Filter /FlateDecode", false),
        ]),
    ],
    [
      "an object stream that unpacks without end",
      () => fixtures.pdf("", [fixtures.objectStream(" ".repeat(20_000_000))]),
    ],
  ];
  it.each(files)("refuses an unsafe PDF: %s", async (_name, make) => {
    expect(await classify(make(), "application/pdf")).toMatchObject({ status: "REJECTED", reason: "pdf_unsafe" });
  });
});

describe("malware", () => {
  it.each([
    ["EICAR", eicar],
    ["a pattern of our own in the middle of a file", `${"x".repeat(300_000)}${ownPattern}${"y".repeat(300_000)}`],
  ])("rejects %s because clamd detects malware", async (_name, content) => {
    const found = await classify(text(content), "text/plain");
    expect(found).toMatchObject({ status: "REJECTED", reason: "malware_detected" });
  });

  it("records the scan of a file in which clamd finds nothing", async () => {
    const { fileObjectId } = await classify(text("clean"), "text/plain");
    const shown = await harness.admin.getFileObject(
      { projectClientId: harness.clientId, fileObjectId },
      harness.call(),
    );
    expect(shown.malwareScan).toBe("clean");
    const scanner = await harness.files.getMalwareScanner({}, harness.call());
    expect(scanner).toMatchObject({ isConfigured: true, isReachable: true });
    expect(scanner.version).toMatch(/^ClamAV/);
  });

  it("keeps files quarantined while the scanner is unavailable, and classifies them afterwards", async () => {
    await clamd.kill();
    const bytes = text("scanned later");
    const grant = await harness.grant(bytes, "text/plain");
    await harness.put(grant.uploadToken, bytes);
    const { fileObjectId } = grant;
    const soon = { ...harness.call(), deadlineMs: Date.now() + 1_000 };
    expect((await harness.files.completeFileObject({ fileObjectId }, soon)).status).toBe(FileObjectStatus.QUARANTINED);
    await expect(
      harness.files.createDownloadGrant({ fileObjectId }, harness.call("quarantined")),
    ).rejects.toMatchObject({ code: "file_object_not_available" });
    await clamd.start();
    await eventually(
      async () =>
        (await harness.files.completeFileObject({ fileObjectId }, harness.call())).status ===
        FileObjectStatus.AVAILABLE,
      { timeoutMs: 60_000 },
    );
  });

  it("reports that no scan was made if no scanner is configured", async () => {
    const unscanned = await startFilesHarness();
    const bytes = text(eicar);
    const grant = await unscanned.grant(bytes, "text/plain");
    await unscanned.put(grant.uploadToken, bytes);
    const { fileObjectId } = grant;
    await unscanned.files.completeFileObject({ fileObjectId }, unscanned.call());
    const shown = await unscanned.admin.getFileObject(
      { projectClientId: unscanned.clientId, fileObjectId },
      unscanned.call(),
    );
    expect([shown.state, shown.malwareScan]).toEqual(["available", "not_configured"]);
    expect((await unscanned.files.getMalwareScanner({}, unscanned.call())).isConfigured).toBe(false);
    const ready = await fetch(`http://127.0.0.1:${unscanned.server.probePort}/readyz`);
    expect(await ready.text()).toMatch(/^ok\nmalware-scanner: not configured/);
    await unscanned.close();
  });
});
