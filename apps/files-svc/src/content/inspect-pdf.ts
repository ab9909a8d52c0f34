import { inflateSync } from "node:zlib";
import type { RejectionReason } from "../domain/file-object.ts";
import { type ByteFile, latin1Chunks, memoryFile } from "./byte-file.ts";
import { endsAsZip, textHoldsMarkup } from "./markup.ts";
import { holdsUnsafeName, mayHoldUnsafeName } from "./pdf-names.ts";
import { createObjectReader, isCutOff, type PdfObject } from "./pdf-objects.ts";

/**
 * Maximum size of an object stream, in bytes before and after it is unpacked, and the maximum that is unpacked of one
 * document.
 */
const objectStreamBytesMax = 16 * 1024 * 1024;
const unpackedBytesMax = 256 * 1024 * 1024;
const longestName = 64;
/**
 * Maximum number of bytes of objects and their streams that are read for each byte of the file. The largest legitimate
 * file needs twice its size. Without the limit, nested objects would be read again and again.
 */
const readsPerByteMax = 4;
const readsFree = 1024 * 1024;

/**
 * Matches the start of an object. It is searched for even inside streams, because readers find objects by their
 * offset.
 */
const objectStart = /(?<=[\s\0\d>\])])obj(?![A-Za-z])|trailer/g;

/**
 * The result of a scan: a reason to reject the document, nothing suspicious, or something that only a parser of the
 * whole document can decide.
 */
export type PdfVerdict =
  | { readonly kind: "refused"; readonly reason: RejectionReason }
  | { readonly kind: "safe" }
  | {
      /** The document is encrypted, or a text or a stream contains a word that would be unsafe as a name. */
      readonly kind: "unsure";
      /** Number of object streams in an encrypted document, which the scan could not read. */
      readonly sealedStreams: number;
    };

const unsafe: PdfVerdict = { kind: "refused", reason: "pdf_unsafe" };

/**
 * Checks a PDF for launch actions and embedded JavaScript. Only names of objects count, with #xx escapes decoded, in
 * the file and in its compressed object streams. The same words in texts, links and metadata are not names (ISO
 * 32000-2, 7.3.4). If an object stream cannot be read, the document is rejected, because the contents are unknown.
 * The running time is proportional to the file's size.
 */
export function inspectPdf(file: ByteFile): PdfVerdict {
  if (file.at(0, 5).toString("latin1") !== "%PDF-" || endsAsZip(file) || hasPageBehindEnd(file))
    return { kind: "refused", reason: "content_type_mismatch" };
  const readObject = createObjectReader(file);
  let reads = 0;
  let unpacked = 0;
  let lastStart = -1;
  let isSuspect = false;
  let isEncrypted = false;
  let unreadStreams = 0;
  for (const { text, offset } of latin1Chunks(file, longestName)) {
    isSuspect ||= mayHoldUnsafeName(text);
    for (const match of text.matchAll(objectStart)) {
      const start = offset + match.index;
      if (start <= lastStart) continue;
      lastStart = start;
      const object = readObject(start + match[0].length);
      reads += object.endsAt - start;
      if (holdsUnsafeName(object.names)) return unsafe;
      isEncrypted ||= object.names.has("Encrypt");
      if (object.dataAt !== null && isObjectStream(object)) {
        const data = isCutOff(object) ? null : dataOf(file, object.dataAt, object.text);
        if (data === null) return unsafe;
        reads += data.length;
        const content = decodeStream(data, object.text);
        if (content === null) unreadStreams += 1;
        else {
          unpacked += content.length;
          if (unpacked > unpackedBytesMax || holdsUnsafeName(namesInside(content))) return unsafe;
          isSuspect ||= mayHoldUnsafeName(content.toString("latin1"));
        }
      }
      if (reads > readsPerByteMax * file.size + readsFree) return unsafe;
    }
  }
  if (isEncrypted) return { kind: "unsure", sealedStreams: unreadStreams };
  if (unreadStreams > 0) return unsafe;
  return isSuspect ? { kind: "unsure", sealedStreams: 0 } : { kind: "safe" };
}

/** Returns every name in the content of an object stream that is outside of strings and comments. */
export function namesInside(content: Uint8Array): ReadonlySet<string> {
  return createObjectReader(memoryFile(content), { isWholeFile: true })(0).names;
}

/**
 * Returns whether an object can contain packed objects. Readers look for them in any stream, but only a stream with
 * these two entries can contain them.
 */
function isObjectStream({ names }: PdfObject): boolean {
  return (names.has("N") && names.has("First")) || names.has("ObjStm");
}

/**
 * Reads the bytes of a stream up to its end marker. The marker may also occur in the data, so if /Length is a number,
 * only a marker after that length counts. Null if the stream is too long or has no end.
 */
function dataOf(file: ByteFile, from: number, dictionary: string): Buffer | null {
  const given = Number(/\/Length (\d{1,10}) (?!\d+ R )/.exec(dictionary)?.[1] ?? 0);
  if (given > objectStreamBytesMax) return null;
  const word = Buffer.from("endstream", "latin1");
  for (let length = Math.max(blockBytes, given + 1024); ; length *= 2) {
    const wanted = Math.min(length, objectStreamBytesMax + 1024);
    const data = file.at(from, wanted);
    const end = data.indexOf(word, Math.min(given, data.length));
    if (end >= 0) return Buffer.from(data.subarray(0, end));
    if (data.length < wanted || wanted < length) return null;
  }
}

const blockBytes = 64 * 1024;

/**
 * Decodes the only filter with which object streams are written. Streams with any other filter are not read, so the
 * document is rejected.
 */
function decodeStream(data: Buffer, dictionary: string): Buffer | null {
  if (/\/(?:DecodeParms|DP) /.test(dictionary)) return null;
  const filters =
    dictionary.match(/\/(?:ASCIIHex|ASCII85|LZW|RunLength|Flate|Crypt)Decode |\/(?:AHx|A85|LZW|RL|Fl) /g) ?? [];
  if (filters.length === 0) return /\/Filter /.test(dictionary) ? null : data;
  if (filters.length > 1 || filters[0] !== "/FlateDecode ") return null;
  try {
    return inflateSync(data, { maxOutputLength: objectStreamBytesMax });
  } catch {
    return null;
  }
}

/** Returns whether a web page follows the end of the document. */
function hasPageBehindEnd(file: ByteFile): boolean {
  const length = Math.min(file.size, 64 * 1024);
  const tail = file.at(file.size - length, length).toString("latin1");
  const end = tail.lastIndexOf("%%EOF");
  return end >= 0 && textHoldsMarkup(tail.slice(end), true);
}
