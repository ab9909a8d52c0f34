import { inflateSync } from "node:zlib";
import type { RejectionReason } from "../domain/file-object.ts";
import { type ByteFile, latin1Chunks } from "./byte-file.ts";
import { endsAsZip, textHoldsMarkup } from "./markup.ts";

/** Largest object stream that is unpacked, in bytes before and after, and the most that is unpacked of one document. */
const objectStreamBytesMax = 16 * 1024 * 1024;
const unpackedBytesMax = 256 * 1024 * 1024;
/** How far around `/Type /ObjStm` its dictionary may reach. */
const dictionaryBytesMax = 16 * 1024;
const longestName = 64;

/**
 * Names of actions that start programs or run scripts (ISO 32000-2, 12.6.4) and of forms that carry scripts. `JS` is left out of the raw
 * search: three bytes turn up in compressed data by chance, and an action that runs it also says JavaScript or Rendition.
 */
const dangerousNames = namePattern("JavaScript", "Launch", "Rendition");
const dangerousUnpackedNames = namePattern("JavaScript", "JS", "Launch", "XFA");
const objectStreamName = namePattern("ObjStm");

/**
 * Judges a PDF: no launch action, no embedded JavaScript. Every name is read with its #xx escapes undone, in the file itself and inside
 * its compressed object streams; an object stream that cannot be read is refused, for nobody can say what it holds.
 */
export function inspectPdf(file: ByteFile): RejectionReason | null {
  if (file.at(0, 5).toString("latin1") !== "%PDF-" || endsAsZip(file) || hasPageBehindEnd(file))
    return "content_type_mismatch";
  let unpacked = 0;
  const seen = new Set<number>();
  for (const { text, offset } of latin1Chunks(file, longestName)) {
    if (dangerousNames.test(text) || plainPartsHoldForms(text)) return "pdf_unsafe";
    for (const match of text.matchAll(new RegExp(objectStreamName, "g"))) {
      const at = offset + match.index;
      if (seen.has(at)) continue;
      seen.add(at);
      const content = unpackObjectStream(file, at);
      if (content === null) return "pdf_unsafe";
      unpacked += content.length;
      if (unpacked > unpackedBytesMax || dangerousUnpackedNames.test(content)) return "pdf_unsafe";
    }
  }
  return null;
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

const formNames = namePattern("XFA", "JS");

/** The short names, outside of streams, where they cannot turn up by chance. */
function plainPartsHoldForms(text: string): boolean {
  if (!formNames.test(text)) return false;
  return text
    .split(/\bstream\r?\n[\s\S]*?endstream\b/)
    .some((part, index) => formNames.test(index === 0 ? afterOpenStream(part) : part));
}

/** A chunk may begin inside a stream: what stands before its end is compressed data. */
function afterOpenStream(part: string): string {
  const end = part.indexOf("endstream");
  return end < 0 && !/\bobj\b/.test(part) ? "" : part.slice(Math.max(end, 0));
}

/** The content of the object stream whose dictionary holds the name at `at`, in Latin-1; null when it cannot be read. */
function unpackObjectStream(file: ByteFile, at: number): string | null {
  const from = Math.max(0, at - dictionaryBytesMax);
  const around = file.at(from, at - from + dictionaryBytesMax).toString("latin1");
  const dictionaryStart = around.lastIndexOf("obj", at - from);
  const keyword = /stream\r?\n/g;
  keyword.lastIndex = at - from;
  const opening = keyword.exec(around);
  if (dictionaryStart < 0 || opening === null) return null;
  const dictionary = around.slice(dictionaryStart, opening.index);
  if (/endobj/.test(dictionary.slice(3))) return null;
  const dataStart = from + opening.index + opening[0].length;
  const data = Buffer.from(file.at(dataStart, objectStreamBytesMax));
  const dataEnd = data.indexOf("endstream", 0, "latin1");
  if (dataEnd < 0) return null;
  return decodeStream(data.subarray(0, dataEnd), dictionary);
}

/** Undoes the one filter object streams are written with. Anything else is not read, and so refused. */
function decodeStream(data: Buffer, dictionary: string): string | null {
  const plain = dictionary.replace(/#([0-9a-fA-F]{2})/g, (_, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  );
  if (/\/(?:DecodeParms|DP)\b/.test(plain)) return null;
  const filters =
    plain.match(/\/(?:ASCIIHex|ASCII85|LZW|RunLength|Flate|Crypt)Decode\b|\/(?:AHx|A85|LZW|RL|Fl)\b/g) ?? [];
  if (filters.length === 0) return /\/Filter\b/.test(plain) ? null : data.toString("latin1");
  if (filters.length > 1 || filters[0] !== "/FlateDecode") return null;
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
