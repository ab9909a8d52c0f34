import { inflateSync } from "node:zlib";
import type { RejectionReason } from "../domain/file-object.ts";
import { type ByteFile, latin1Chunks } from "./byte-file.ts";
import { endsAsZip, textHoldsMarkup } from "./markup.ts";
import { createObjectReader, isCutOff, type PdfObject } from "./pdf-objects.ts";

/** Largest object stream that is unpacked, in bytes before and after, and the most that is unpacked of one document. */
const objectStreamBytesMax = 16 * 1024 * 1024;
const unpackedBytesMax = 256 * 1024 * 1024;
const longestName = 64;
/**
 * Bytes read of objects and their streams for each byte of the file; the largest honest file needs twice its size. Without it nested objects would be
 * read again and again.
 */
const readsPerByteMax = 4;
const readsFree = 1024 * 1024;

/**
 * Names of actions that start programs or run scripts (ISO 32000-2, 12.6.4) and of forms that carry scripts. `JS` is left out of the raw
 * search: three bytes occur in compressed data by chance, and an action that runs it also says JavaScript or Rendition.
 */
const dangerousNames = namePattern("JavaScript", "Launch", "Rendition", "XFA");
const dangerousUnpackedNames = namePattern("JavaScript", "JS", "Launch", "XFA");
/** Start of an object outside of streams. Readers find objects by their offset, so one may also lie inside a stream. */
const objectStart = /(?<=[\s\0\d>\])])obj(?![A-Za-z])|trailer/g;

/**
 * Judges a PDF: no launch action, no embedded JavaScript. Names are decoded from #xx escapes, in the file and in its compressed object streams; an
 * unreadable object stream is refused, because its contents are unknown. Takes time proportional to the file's size.
 */
export function inspectPdf(file: ByteFile): RejectionReason | null {
  if (file.at(0, 5).toString("latin1") !== "%PDF-" || endsAsZip(file) || hasPageBehindEnd(file))
    return "content_type_mismatch";
  const readObject = createObjectReader(file);
  let reads = 0;
  let unpacked = 0;
  let lastStart = -1;
  for (const { text, offset } of latin1Chunks(file, longestName)) {
    if (dangerousNames.test(text)) return "pdf_unsafe";
    for (const match of text.matchAll(objectStart)) {
      const start = offset + match.index;
      if (start <= lastStart) continue;
      lastStart = start;
      const object = readObject(start + match[0].length);
      reads += object.endsAt - start;
      if (object.dataAt !== null && isObjectStream(object)) {
        const data = isCutOff(object) ? null : dataOf(file, object.dataAt, object.text);
        const content = data === null ? null : decodeStream(data, object.text);
        if (data === null || content === null) return "pdf_unsafe";
        reads += data.length;
        unpacked += content.length;
        if (unpacked > unpackedBytesMax || dangerousUnpackedNames.test(content)) return "pdf_unsafe";
      }
      if (reads > readsPerByteMax * file.size + readsFree) return "pdf_unsafe";
    }
  }
  return null;
}

/** Readers look for packed objects in any stream; only one with these two entries can hold them. */
function isObjectStream({ names }: PdfObject): boolean {
  return (names.has("N") && names.has("First")) || names.has("ObjStm");
}

/** A pattern for names of PDF in which any character may be written as #xx. */
function namePattern(...names: readonly string[]): RegExp {
  const escapable = (character: string): string => {
    const code = character.charCodeAt(0).toString(16);
    const [high = "", low = ""] = code;
    const digit = (one: string): string => (/[a-f]/.test(one) ? `[${one}${one.toUpperCase()}]` : one);
    return `(?:${character}|#${digit(high)}${digit(low)})`;
  };
  const alternatives = names.map((name) => [...name].map(escapable).join(""));
  return new RegExp(`/(?:${alternatives.join("|")})(?=[\\s()<>[\\]{}/%]|$)`);
}

/**
 * The bytes of a stream up to its end marker, which may also occur in the data: where /Length is a number, a marker behind it is required. Null when
 * it is too long or has no end.
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

/** Undoes the one filter object streams are written with. Anything else is not read, and so refused. */
function decodeStream(data: Buffer, dictionary: string): string | null {
  if (/\/(?:DecodeParms|DP) /.test(dictionary)) return null;
  const filters =
    dictionary.match(/\/(?:ASCIIHex|ASCII85|LZW|RunLength|Flate|Crypt)Decode |\/(?:AHx|A85|LZW|RL|Fl) /g) ?? [];
  if (filters.length === 0) return /\/Filter /.test(dictionary) ? null : data.toString("latin1");
  if (filters.length > 1 || filters[0] !== "/FlateDecode ") return null;
  try {
    return inflateSync(data, { maxOutputLength: objectStreamBytesMax }).toString("latin1");
  } catch {
    return null;
  }
}

/** Does a page stand behind the document's end? */
function hasPageBehindEnd(file: ByteFile): boolean {
  const length = Math.min(file.size, 64 * 1024);
  const tail = file.at(file.size - length, length).toString("latin1");
  const end = tail.lastIndexOf("%%EOF");
  return end >= 0 && textHoldsMarkup(tail.slice(end), true);
}
