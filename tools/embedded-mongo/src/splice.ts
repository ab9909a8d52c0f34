import { type Doc, encode, setOwn } from "./values.ts";

const elementHeadBytes = 4;

/** Where an element lies in a document's bytes: from its type byte to the end of its value. */
type Place = { readonly from: number; readonly to: number };

/**
 * The bytes of a document after some of its top-level fields were changed, removed or added: only those are serialized, the others are copied as they are stored. What comes out is what `encode(doc)` would give.
 * @param bytes the document before
 * @param doc the document after; fields that are not in `changed` have the values they have in `bytes`
 */
export function splice(bytes: Uint8Array, doc: Doc, changed: ReadonlySet<string>): Buffer {
  const before = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const given: Doc = {};
  for (const key of changed) if (Object.hasOwn(doc, key)) setOwn(given, key, doc[key]);
  const after = encode(given);
  const [kept, added] = [placesOf(before), placesOf(after)];
  if (kept === null || added === null) return encode(doc);
  const parts: Buffer[] = [];
  let length = elementHeadBytes + 1;
  for (const key of Object.keys(doc)) {
    const isChanged = changed.has(key);
    const place = (isChanged ? added : kept).get(key);
    if (place === undefined) continue;
    parts.push((isChanged ? after : before).subarray(place.from, place.to));
    length += place.to - place.from;
  }
  const result = Buffer.allocUnsafe(length);
  let at = result.writeInt32LE(length, 0);
  for (const part of parts) at += part.copy(result, at);
  result[at] = 0;
  return result;
}

/** The top-level elements by name; null where a name is beyond ASCII or a type is not known, which is rare. */
function placesOf(bytes: Buffer): Map<string, Place> | null {
  const places = new Map<string, Place>();
  for (let at = elementHeadBytes; at < bytes.length - 1; ) {
    const nameEnd = bytes.indexOf(0, at + 1);
    const name = bytes.toString("latin1", at + 1, nameEnd);
    const size = valueBytes(bytes, bytes[at] ?? 0, nameEnd + 1);
    if (size === null || !/^[\x20-\x7e]*$/.test(name)) return null;
    places.set(name, { from: at, to: nameEnd + 1 + size });
    at = nameEnd + 1 + size;
  }
  return places;
}

/** Length of a value by its type (bsonspec.org, version 1.1), or null for a type that is not copied. */
function valueBytes(bytes: Buffer, type: number, at: number): number | null {
  switch (type) {
    case 0x01: // double
    case 0x09: // date
    case 0x11: // timestamp
    case 0x12: // int64
      return 8;
    case 0x02: // string
      return 4 + bytes.readInt32LE(at);
    case 0x03: // document
    case 0x04: // array
      return bytes.readInt32LE(at);
    case 0x05: // binary
      return 5 + bytes.readInt32LE(at);
    case 0x07: // ObjectId
      return 12;
    case 0x08: // boolean
      return 1;
    case 0x0a: // null
      return 0;
    case 0x10: // int32
      return 4;
    case 0x13: // decimal128
      return 16;
    default:
      return null;
  }
}
