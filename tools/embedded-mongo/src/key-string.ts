import { type Binary, type BSONRegExp, Long, type ObjectId, type Timestamp } from "bson";
import { CommandError } from "./errors.ts";
import { bsonType, type Doc, isLong, toNumber } from "./values.ts";

/**
 * Encodes values as strings whose order under `<` is MongoDB's order of the values; equal values have equal strings.
 * Encodings are prefix-free, so compound keys are concatenations. Each starts with a rank.
 * Keys use characters up to 0xff unless one of their texts contains others: V8 stores such strings in half the memory,
 * and keys are most of the memory of an insert.
 */
export const rank = { minKey: 1, undefined: 2, null: 5, number: 10, string: 15, object: 20, array: 25 } as const;
export const rankOfDate = 45;
const bsonRanks: Record<string, number> = {
  MinKey: rank.minKey,
  Int32: rank.number,
  Double: rank.number,
  Long: rank.number,
  Decimal128: rank.number,
  BSONSymbol: rank.string,
  Binary: 30,
  ObjectId: 35,
  Timestamp: 47,
  BSONRegExp: 50,
  DBRef: 55,
  Code: 60,
  MaxKey: 127,
};

/** Sorts after every key that starts with the preceding string, because no encoding continues with this character. */
export const afterAll = "\uffff";

const float = new Float64Array(1);
const bytes = new Uint8Array(float.buffer);

export function rankOf(value: unknown): number {
  if (typeof value === "string") return rank.string;
  if (typeof value === "number") return rank.number;
  if (typeof value === "boolean") return 40;
  if (value === undefined) return rank.undefined;
  if (value === null) return rank.null;
  if (Array.isArray(value)) return rank.array;
  if (value instanceof Date) return rankOfDate;
  const type = bsonType(value);
  if (type === undefined) return rank.object;
  const known = bsonRanks[type];
  if (known === undefined) throw new CommandError(2, `Unknown BSON type ${type}`);
  return known;
}

export function encodeKey(value: unknown): string {
  const valueRank = rankOf(value);
  return String.fromCharCode(valueRank) + encodeBody(value, valueRank);
}

/** Returns the same key for descending order, which is the complement of every code unit. */
export function invertKey(key: string): string {
  let inverted = "";
  for (let index = 0; index < key.length; index++) inverted += String.fromCharCode(0xffff - key.charCodeAt(index));
  return inverted;
}

function encodeBody(value: unknown, valueRank: number): string {
  if (typeof value === "string") return encodeString(value);
  if (valueRank === rank.number) return encodeNumber(value);
  if (typeof value === "boolean") return value ? "\u0002" : "\u0001";
  if (value instanceof Date) return encodeDouble(value.getTime());
  if (Array.isArray(value)) return `${value.map(encodeKey).join("")}\0`;
  if (valueRank === rank.object || valueRank === bsonRanks.DBRef) {
    const doc = valueRank === rank.object ? (value as Doc) : (value as { toJSON(): Doc }).toJSON();
    const fields = Object.keys(doc).map((key) => {
      const encoded = encodeKey(doc[key]);
      return encoded.charAt(0) + encodeString(key) + encoded;
    });
    return `${fields.join("")}\0`;
  }
  switch (bsonType(value)) {
    case "ObjectId":
      return textOf((value as ObjectId).id);
    case "Binary": {
      const binary = value as Binary;
      const content = binary.buffer.subarray(0, binary.position);
      return encodeDouble(content.length) + String.fromCharCode(binary.sub_type) + textOf(content);
    }
    case "Timestamp":
      return encodeNumber(Long.fromBigInt(BigInt.asIntN(64, (value as Timestamp).toBigInt())));
    case "BSONRegExp":
      return encodeString((value as BSONRegExp).pattern) + encodeString((value as BSONRegExp).options);
    case "BSONSymbol":
      return encodeString(String(value));
    case "Code":
      return encodeString(JSON.stringify(value));
    default:
      return "";
  }
}

/**
 * Encodes the double that is nearest to the number, followed by the difference between a 64-bit integer and this double. Equal numbers of different types
 * therefore have equal keys.
 */
function encodeNumber(value: unknown): string {
  const nearest = toNumber(value) ?? 0;
  const rest = isLong(value) ? Number(value.toBigInt() - BigInt(nearest)) : 0;
  const shifted = 0x8000 + rest;
  return encodeDouble(nearest) + String.fromCharCode(shifted >> 8, shifted & 0xff);
}

function encodeDouble(value: number): string {
  if (Number.isNaN(value)) return "\0\0\0\0\0\0\0\0";
  float[0] = value + 0;
  const [b0 = 0, b1 = 0, b2 = 0, b3 = 0, b4 = 0, b5 = 0, b6 = 0, b7 = 0] = bytes;
  if ((b7 & 0x80) === 0) return String.fromCharCode(b7 | 0x80, b6, b5, b4, b3, b2, b1, b0);
  return String.fromCharCode(b7 ^ 255, b6 ^ 255, b5 ^ 255, b4 ^ 255, b3 ^ 255, b2 ^ 255, b1 ^ 255, b0 ^ 255);
}

/** Encodes a text. It ends with a zero, zeros and ones inside it are escaped, and surrogates are moved above the code units that follow them in UTF-8. */
function encodeString(value: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that need escaping
  if (!/[\0\u0001\ud800-\uffff]/.test(value)) return `${value}\0`;
  let encoded = "";
  for (let index = 0; index < value.length; index++) {
    const unit = value.charCodeAt(index);
    if (unit < 2) encoded += String.fromCharCode(1, unit + 1);
    else if (unit < 0xd800) encoded += value.charAt(index);
    else encoded += String.fromCharCode(unit < 0xe000 ? unit + 0x2000 : unit - 0x800);
  }
  return `${encoded}\0`;
}

function textOf(content: Uint8Array): string {
  return Buffer.from(content.buffer, content.byteOffset, content.byteLength).toString("latin1");
}
