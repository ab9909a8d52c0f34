import { type ByteFile, latin1Chunks } from "./byte-file.ts";

/**
 * Markup that a browser would execute if it treated the file as a page. Each pattern requires a name of at least four
 * letters and the character after it, so that compressed pixels do not match by chance.
 */
const activeMarkup =
  /<(?:script|html|iframe|body|head|object|embed|foreignobject)[\s>/]|<!doctype\s{1,8}html|<\?php\s/i;

/** Further markup for plain text. Text is not compressed, so shorter names do not match by chance. */
const activeMarkupInText = /<(?:svg|math|img|style|link|meta|base|form|video|audio|a)[\s>/]/i;

const longestMatch = 32;

/** Returns whether the file contains markup that a browser would execute. */
export function holdsActiveMarkup(file: ByteFile): boolean {
  for (const { text } of latin1Chunks(file, longestMatch)) if (activeMarkup.test(text)) return true;
  return false;
}

/**
 * Returns whether this text contains markup. `isOpening` is true for the beginning of the file, in which browsers
 * search for a page.
 */
export function textHoldsMarkup(text: string, isOpening: boolean): boolean {
  return activeMarkup.test(text) || (isOpening && activeMarkupInText.test(text.slice(0, sniffedBytes)));
}

/** Number of bytes in which browsers search for a page (WHATWG MIME Sniffing, resource header: 1445 bytes). */
const sniffedBytes = 1445;

/** Signatures of other formats whose readers search for them even after the beginning of a file. */
const foreignSignatures = [
  "%PDF-",
  "PK\u0003\u0004",
  "PK\u0005\u0006",
  "Rar!\u001a\u0007",
  "7z\u00bc\u00af\u0027\u001c",
];

/** Returns whether this part of a file, in Latin-1, contains the beginning of another format. */
export function holdsForeignSignature(text: string): boolean {
  return foreignSignatures.some((signature) => text.includes(signature));
}

/** Returns whether the file begins like a PDF. Readers of PDF accept its header anywhere in the first 1024 bytes. */
export function opensAsPdf(file: ByteFile): boolean {
  return file
    .at(0, 1024 + 5)
    .toString("latin1")
    .includes("%PDF-");
}

const zipEnd = Buffer.from("PK\u0005\u0006", "latin1");

/** Returns whether the file ends like a ZIP archive. Archivers read from the end, so anything may precede it. */
export function endsAsZip(file: ByteFile): boolean {
  const length = Math.min(file.size, 65_536 + 22);
  const tail = Buffer.from(file.at(file.size - length, length));
  for (let at = tail.lastIndexOf(zipEnd); at >= 0; ) {
    if (at + 22 <= tail.length && at + 22 + tail.readUInt16LE(at + 20) === tail.length) return true;
    at = at === 0 ? -1 : tail.lastIndexOf(zipEnd, at - 1);
  }
  return false;
}
