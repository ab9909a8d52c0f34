import { Binary, type BSONRegExp, Decimal128, Double, deserialize, Int32, Long, onDemand, serialize, UUID } from "bson";
import { CommandError } from "./errors.ts";

/** A document as this engine stores it. Numbers keep their BSON class, so every type is returned as it was sent. */
export type Doc = Record<string, unknown>;

/** Largest document, and largest batch of documents in one reply, in bytes (MongoDB's limit). */
export const documentBytesMax = 16 * 1024 * 1024;

/** Validation is off, because the driver sends UTF-8 and validating the text takes ten times as long as decoding it. */
const validation = { utf8: false };

export function decode(bytes: Uint8Array): Doc {
  return deserialize(bytes, {
    promoteValues: false,
    promoteLongs: false,
    promoteBuffers: false,
    bsonRegExp: true,
    validation,
  });
}

/** Decodes only the top-level fields with these names and skips all others, which takes microseconds however large they are. */
export function decodeFields(bytes: Uint8Array, names: ReadonlySet<string>): Doc {
  const source = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const elements: Buffer[] = [];
  for (const [, nameAt, nameLength, valueAt, valueLength] of onDemand.parseToElements(bytes)) {
    // The byte before the name is the type of the element.
    if (names.has(source.toString("utf8", nameAt, nameAt + nameLength)))
      elements.push(source.subarray(nameAt - 1, valueAt + valueLength));
  }
  const length = Buffer.alloc(4);
  const part = Buffer.concat([length, ...elements, Buffer.alloc(1)]);
  part.writeInt32LE(part.length);
  return decode(part);
}

/** Decodes a command, leaving the elements of a `documents` array as the bytes that were sent. */
export function decodeCommand(bytes: Uint8Array): Doc {
  return deserialize(bytes, { promoteValues: false, bsonRegExp: true, fieldsAsRaw: { documents: true }, validation });
}

export function encode(doc: Doc): Buffer {
  const bytes = serialize(doc, { ignoreUndefined: true });
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

export function bsonType(value: unknown): string | undefined {
  return typeof value === "object" && value !== null ? (value as { _bsontype?: string })._bsontype : undefined;
}

/** True for an embedded document: not an array, a date or a BSON value. */
export function isDoc(value: unknown): value is Doc {
  return typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}

/** Reads only an own field, so that a field with the name of a member of Object.prototype counts as absent. */
export function own(doc: Doc | unknown[], key: string): unknown {
  return Object.hasOwn(doc, key) ? (doc as Doc)[key] : undefined;
}

/** Sets a field as data, even one named `__proto__`: an assignment would change the prototype instead. */
export function setOwn(doc: Doc | unknown[], key: string, value: unknown): void {
  if (key !== "__proto__") (doc as Doc)[key] = value;
  else Object.defineProperty(doc, key, { value, enumerable: true, configurable: true, writable: true });
}

/** Returns whether a value is a Long. In the bson package, Timestamp extends Long, but it is not a number. */
export function isLong(value: unknown): value is Long {
  return bsonType(value) === "Long";
}

/** Returns the numeric value of any BSON number, and undefined for any other value. A Long beyond 2^53 loses its last digits. */
export function toNumber(value: unknown): number | undefined {
  if (typeof value === "number") return value;
  if (value instanceof Int32 || value instanceof Double) return value.value;
  if (isLong(value)) return value.toNumber();
  if (value instanceof Decimal128) return Number(value.toString());
  return undefined;
}

/** Reads a flag of a command; MongoDB accepts any non-zero number as true. */
export function toBoolean(value: unknown): boolean {
  return typeof value === "boolean" ? value : (toNumber(value) ?? 0) !== 0;
}

/** Returns the result as Int32, Double or Long, chosen as MongoDB chooses the type of a sum or product of two numbers. */
export function arithmetic(operator: "+" | "*", left: unknown, right: unknown): unknown {
  if (left instanceof Decimal128 || right instanceof Decimal128) {
    throw new CommandError(2, "Arithmetic on Decimal128 is not supported by the embedded MongoDB");
  }
  if (left instanceof Double || right instanceof Double) {
    const [a, b] = [toNumber(left) ?? 0, toNumber(right) ?? 0];
    return new Double(operator === "+" ? a + b : a * b);
  }
  const [a, b] = [BigInt(String(left)), BigInt(String(right))];
  const result = operator === "+" ? a + b : a * b;
  const widen = isLong(left) || isLong(right) || BigInt.asIntN(32, result) !== result;
  if (BigInt.asIntN(64, result) !== result) throw new CommandError(2, "The result does not fit in a 64-bit integer");
  return widen ? Long.fromBigInt(result) : new Int32(Number(result));
}

/** mingo compares values of unknown classes by toString, and that of Binary loses bytes. */
class ComparableBinary extends Binary {
  override toString(): string {
    return `${this.sub_type}:${super.toString("hex")}`;
  }
}

/** Returns a deep copy in the types that mingo understands: exact numbers as JavaScript numbers, and regular expressions as RegExp. */
export function toPlain(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(toPlain);
  if (isDoc(value)) {
    const copy: Doc = {};
    for (const key of Object.keys(value)) setOwn(copy, key, toPlain(value[key]));
    return copy;
  }
  if (value instanceof Int32 || value instanceof Double) return value.value;
  if (isLong(value)) return Number.isSafeInteger(value.toNumber()) ? value.toNumber() : value;
  if (bsonType(value) === "BSONRegExp") return toRegExp((value as BSONRegExp).pattern, (value as BSONRegExp).options);
  if (value instanceof Binary && !(value instanceof UUID)) return new ComparableBinary(value.buffer, value.sub_type);
  return value;
}

/** Creates the regular expression for MongoDB's options. `x` (extended) has no counterpart in JavaScript and is refused. */
export function toRegExp(pattern: string, options: string): RegExp {
  if (/[^imsu]/.test(options)) throw new CommandError(2, `Regular expression option not supported: ${options}`);
  return new RegExp(pattern, options);
}
