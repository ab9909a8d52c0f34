import { type Doc, encode, setOwn } from "./values.ts";

const lengthBytes = 4;

/** Which top-level fields an update changed. */
export type FieldChanges = {
  /** Fields that are not the same in both; a value that was only copied counts as another one. */
  readonly fields: ReadonlySet<string>;
  /** Do the fields that stay stand in their old order, before all new ones? */
  readonly isInOrder: boolean;
};

export function changesOf(before: Doc, after: Doc): FieldChanges {
  const fields = new Set<string>();
  const names = Object.keys(after);
  let [at, isInOrder] = [0, true];
  for (const name of Object.keys(before)) {
    if (names[at] === name) at++;
    else if (Object.hasOwn(after, name)) isInOrder = false;
    if (!Object.hasOwn(after, name) || before[name] !== after[name]) fields.add(name);
  }
  for (const name of names) if (!Object.hasOwn(before, name)) fields.add(name);
  return { fields, isInOrder };
}

/**
 * The bytes of a document after a change of some top-level fields: only those are serialized, the others are copied as they are stored.
 * What comes out is what `encode(doc)` would give.
 * @param bytes the document before, as `changes` were found from it
 * @param doc the document after
 */
export function splice(bytes: Uint8Array, doc: Doc, { fields, isInOrder }: FieldChanges): Buffer {
  if (!isInOrder) return encode(doc);
  const given: Doc = {};
  for (const name of fields) if (Object.hasOwn(doc, name)) setOwn(given, name, doc[name]);
  const after = encode(given);
  const added = new Map<string, { from: number; to: number }>();
  for (let at = lengthBytes; at < after.length - 1; ) {
    const nameEnd = plainNameEnd(after, at + 1);
    const to = nameEnd < 0 ? -1 : valueEnd(after, after[at] ?? 0, nameEnd + 1);
    if (to < 0) return encode(doc);
    added.set(after.toString("latin1", at + 1, nameEnd), { from: at, to });
    at = to;
  }
  const before = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const result = Buffer.allocUnsafe(before.length + after.length);
  let length = lengthBytes;
  let from = lengthBytes;
  for (let at = lengthBytes; at < before.length - 1; ) {
    const nameEnd = plainNameEnd(before, at + 1);
    const to = nameEnd < 0 ? -1 : valueEnd(before, before[at] ?? 0, nameEnd + 1);
    if (to < 0) return encode(doc);
    const name = nameAmong(fields, before, at + 1, nameEnd);
    if (name !== undefined) {
      length += before.copy(result, length, from, at);
      const replaced = added.get(name);
      if (replaced !== undefined) length += after.copy(result, length, replaced.from, replaced.to);
      added.delete(name);
      from = to;
    }
    at = to;
  }
  length += before.copy(result, length, from, before.length - 1);
  for (const place of added.values()) length += after.copy(result, length, place.from, place.to);
  result[length++] = 0;
  result.writeInt32LE(length, 0);
  return result.subarray(0, length);
}

/** The bytes of a document with only those of its top-level fields; undefined for one with a name or a type that is not copied. */
export function pick(bytes: Uint8Array, names: ReadonlySet<string>): Buffer | undefined {
  return copyFields(bytes, names, true);
}

/** The bytes of a document without those of its top-level fields; undefined for one with a name or a type that is not copied. */
export function omit(bytes: Uint8Array, names: ReadonlySet<string>): Buffer | undefined {
  return copyFields(bytes, names, false);
}

function copyFields(bytes: Uint8Array, names: ReadonlySet<string>, areKept: boolean): Buffer | undefined {
  const before = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const result = Buffer.allocUnsafe(before.length);
  let length = lengthBytes;
  for (let at = lengthBytes; at < before.length - 1; ) {
    const nameEnd = plainNameEnd(before, at + 1);
    const to = nameEnd < 0 ? -1 : valueEnd(before, before[at] ?? 0, nameEnd + 1);
    if (to < 0) return undefined;
    if ((nameAmong(names, before, at + 1, nameEnd) !== undefined) === areKept) {
      length += before.copy(result, length, at, to);
    }
    at = to;
  }
  result[length++] = 0;
  result.writeInt32LE(length, 0);
  return result.subarray(0, length);
}

function nameAmong(names: ReadonlySet<string>, bytes: Buffer, from: number, to: number): string | undefined {
  for (const name of names) {
    if (name.length !== to - from) continue;
    let at = 0;
    while (at < name.length && name.charCodeAt(at) === bytes[from + at]) at++;
    if (at === name.length) return name;
  }
  return undefined;
}

/** Where a name ends; -1 for one beyond ASCII, or one that may be a number, whose place in an object is not its place in the document. */
function plainNameEnd(bytes: Buffer, from: number): number {
  let at = from;
  for (let byte = bytes[at] ?? 0; byte !== 0; byte = bytes[++at] ?? 0) {
    if (byte > 0x7e || (at === from && byte >= 0x30 && byte <= 0x39)) return -1;
  }
  return at;
}

/** Where a value ends, by its type (bsonspec.org, version 1.1); -1 for a type that is not copied. */
function valueEnd(bytes: Buffer, type: number, at: number): number {
  switch (type) {
    case 0x01: // double
    case 0x09: // date
    case 0x11: // timestamp
    case 0x12: // int64
      return at + 8;
    case 0x02: // string
      return at + 4 + bytes.readInt32LE(at);
    case 0x03: // document
    case 0x04: // array
      return at + bytes.readInt32LE(at);
    case 0x05: // binary
      return at + 5 + bytes.readInt32LE(at);
    case 0x07: // ObjectId
      return at + 12;
    case 0x08: // boolean
      return at + 1;
    case 0x0a: // null
      return at;
    case 0x10: // int32
      return at + 4;
    case 0x13: // decimal128
      return at + 16;
    default:
      return -1;
  }
}
