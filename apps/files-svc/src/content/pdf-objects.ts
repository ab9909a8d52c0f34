import type { ByteFile } from "./byte-file.ts";

/** An object of a PDF, up to its end or to its stream, without strings and comments. */
export type PdfObject = {
  /** All names in the object, at any depth, with #xx escapes decoded and without the slash. */
  readonly names: ReadonlySet<string>;
  /**
   * Its tokens: names with their slash, numbers and brackets. The text is cut off if the dictionary is too long for
   * an object stream.
   */
  readonly text: string;
  /** Offset of its stream's data; null if it has none. */
  readonly dataAt: number | null;
  /** Offset at which reading ended. */
  readonly endsAt: number;
};

const blockBytes = 64 * 1024;
const textMax = 16 * 1024;
const tokenMax = 128;

const whitespace = new Set([0x00, 0x09, 0x0a, 0x0c, 0x0d, 0x20]);
const [lf, cr] = [0x0a, 0x0d];
const code = (character: string): number => character.charCodeAt(0);
const [slash, percent, backslash] = [code("/"), code("%"), code("\\")];
const [opensString, closesString, less, greater] = [code("("), code(")"), code("<"), code(">")];
const delimiters = new Set([..."()<>[]{}/%"].map(code));
/** Words at which an object ends. They are ignored while one of its dictionaries is open, as readers do. */
const ends = new Set(["endobj", "obj", "endstream", "xref", "startxref", "trailer"]);

/**
 * Creates a function that reads single bytes of a file, in ascending order, or within a short distance in any order,
 * because two blocks are cached.
 */
function createByteReader(file: ByteFile): (offset: number) => number {
  const blocks: { start: number; bytes: Buffer }[] = [];
  return (offset) => {
    if (offset >= file.size) return -1;
    const start = offset - (offset % blockBytes);
    let block = blocks.find((each) => each.start === start);
    if (block === undefined) {
      block = { start, bytes: Buffer.from(file.at(start, blockBytes)) };
      blocks.unshift(block);
      blocks.length = Math.min(blocks.length, 2);
    }
    return block.bytes[offset - start] ?? -1;
  };
}

/**
 * Creates a function that reads an object, starting at the word `obj` or `trailer`. Violations of PDF's syntax (ISO
 * 32000-2, 7.2) are skipped, as readers do.
 * @param isWholeFile true to read to the end of the file. It is used for the content of an object stream, in which no
 * word ends an object
 */
export function createObjectReader(
  file: ByteFile,
  { isWholeFile = false }: { readonly isWholeFile?: boolean } = {},
): (from: number) => PdfObject {
  const byteAt = createByteReader(file);

  const behindString = (from: number): number => {
    let depth = 0;
    for (let at = from; at < file.size; at += 1) {
      const byte = byteAt(at);
      if (byte === backslash) at += 1;
      else if (byte === opensString) depth += 1;
      else if (byte === closesString) depth -= 1;
      if (depth === 0) return at + 1;
    }
    return file.size;
  };
  const behindComment = (from: number): number => {
    let at = from;
    while (at < file.size && byteAt(at) !== lf && byteAt(at) !== cr) at += 1;
    return at;
  };
  const behindHexString = (from: number): number => {
    let at = from;
    while (at < file.size && byteAt(at) !== greater) at += 1;
    return at + 1;
  };
  /**
   * Returns the characters from `from` to the next delimiter or white space, and the end offset. Of a long word, only
   * the beginning is returned.
   */
  const wordAt = (from: number): { word: string; end: number } => {
    let word = "";
    let at = from;
    for (; at < file.size; at += 1) {
      const byte = byteAt(at);
      if (whitespace.has(byte) || delimiters.has(byte)) break;
      if (word.length < tokenMax) word += String.fromCharCode(byte);
    }
    return { word, end: at };
  };

  return (from) => {
    const names = new Set<string>();
    let text = "";
    let openDictionaries = 0;
    const add = (token: string): void => {
      if (text.length <= textMax) text += `${token} `;
    };
    for (let at = from; at < file.size; ) {
      const byte = byteAt(at);
      if (whitespace.has(byte)) at += 1;
      else if (byte === percent) at = behindComment(at);
      else if (byte === opensString) at = behindString(at);
      else if (byte === less && byteAt(at + 1) !== less) at = behindHexString(at);
      else if (byte === less || (byte === greater && byteAt(at + 1) === greater)) {
        openDictionaries += byte === less ? 1 : -1;
        add(byte === less ? "<<" : ">>");
        at += 2;
      } else if (byte === slash) {
        const { word, end } = wordAt(at + 1);
        const name = undoEscapes(word);
        names.add(name);
        add(`/${name}`);
        at = end;
      } else if (delimiters.has(byte)) {
        add(String.fromCharCode(byte));
        at += 1;
      } else {
        const { word, end } = wordAt(at);
        if (openDictionaries <= 0 && word === "stream" && !isWholeFile)
          return { names, text, dataAt: behindLineEnd(byteAt, end), endsAt: end };
        if (openDictionaries <= 0 && ends.has(word) && !isWholeFile) return { names, text, dataAt: null, endsAt: end };
        add(word);
        at = end;
      }
    }
    return { names, text, dataAt: null, endsAt: file.size };
  };
}

function undoEscapes(name: string): string {
  return name.replace(/#([0-9a-fA-F]{2})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)));
}

/** Skips the line end after the word `stream`: CR LF or LF, or in files of some writers a single CR. */
function behindLineEnd(byteAt: (offset: number) => number, at: number): number {
  const first = byteAt(at);
  if (first === lf) return at + 1;
  if (first !== cr) return at;
  return byteAt(at + 1) === lf ? at + 2 : at + 1;
}

/** Returns whether the text of an object was cut off. */
export function isCutOff({ text }: PdfObject): boolean {
  return text.length > textMax;
}
