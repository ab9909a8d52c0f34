import {
  type DescField,
  type DescMessage,
  fromBinary,
  getOption,
  hasOption,
  type MessageShape,
  ScalarType,
} from "@bufbuild/protobuf";
import { BinaryReader, WireType } from "@bufbuild/protobuf/wire";
import { bound } from "@platform/proto/bounds/v1/field_bound";
import { ServiceError } from "./service-error.ts";
import type { Violation } from "./violation.ts";

export type BoundName = "max_items" | "max_length" | "max_bytes" | "max_key_length";
type Bounds = Partial<Record<BoundName, number>>;
type Fields = Readonly<Record<string, unknown>>;
/** Returns the first value beyond its bound. The path of the violation is relative to the given value. */
type Check<V> = (value: V) => Violation | null;

/** Returns the bounds that a field needs, by its type: none for a number, one for a text, three for a map of texts. */
export function neededBounds(field: DescField): readonly BoundName[] {
  switch (field.fieldKind) {
    case "scalar":
      return boundsOfScalar(field.scalar);
    case "list":
      return ["max_items", ...boundsOfScalar(field.scalar)];
    case "map": {
      const ofKey = field.mapKey === ScalarType.STRING ? (["max_key_length"] as const) : [];
      return ["max_items", ...ofKey, ...boundsOfScalar(field.scalar)];
    }
    default:
      return [];
  }
}

/** Returns the bounds that a field declares with the option `projectintegration.bounds.v1.bound`. */
export function declaredBounds(field: DescField): Bounds {
  if (!hasOption(field, bound)) return {};
  const { maxItems, maxLength, maxBytes, maxKeyLength } = getOption(field, bound);
  const declared = { max_items: maxItems, max_length: maxLength, max_bytes: maxBytes, max_key_length: maxKeyLength };
  return Object.fromEntries(Object.entries(declared).filter(([, most]) => most > 0));
}

/**
 * In requests larger than this, items are counted before the request is decoded, because decoding 4 MiB of short texts
 * takes 100 ms, during which the process serves no other request.
 */
const uncountedBytesMax = 64 * 1024;

/**
 * Returns the function that reads requests of a schema: it decodes the bytes and throws contract_violation for a value
 * beyond its bound, including values in nested messages. A large request with too many items is rejected without being
 * decoded.
 * @throws Error if a field of the schema lacks a bound, so that a service with such an RPC does not start
 */
export function requestReader<D extends DescMessage>(schema: D): (bytes: Uint8Array) => MessageShape<D> {
  const refusalOf = boundCheck(schema);
  return (bytes) => {
    if (bytes.byteLength > uncountedBytesMax) {
      const violation = itemViolation(schema, new BinaryReader(bytes), bytes.byteLength);
      if (violation !== null) throw refusalFor(violation);
    }
    const request = fromBinary(schema, bytes);
    const refusal = refusalOf(request);
    if (refusal !== null) throw refusal;
    return request;
  };
}

/**
 * Returns the function that checks a decoded request of a schema: it returns the violation, or null for a request
 * within its bounds.
 */
export function boundCheck<D extends DescMessage>(schema: D): (request: MessageShape<D>) => ServiceError | null {
  const check = checkOf(schema);
  return (request) => {
    const violation = check?.(request as Fields) ?? null;
    return violation === null ? null : refusalFor(violation);
  };
}

const refusalFor = (violation: Violation): ServiceError =>
  new ServiceError("contract_violation", `${violation.path.slice(1)} ${violation.message}`, {
    details: { violations: [violation] },
  });

/** Maximum length of an encoded number, in bytes. */
const numberBytesMax = 10;

/**
 * Counts the items of lists and maps in encoded bytes up to `end`, and returns the first field with too many. Numbers
 * that are packed into one value may be undercounted, because the exact check of the decoded request follows.
 */
function itemViolation(schema: DescMessage, reader: BinaryReader, end: number): Violation | null {
  const counts = new Map<number, number>();
  while (reader.pos < end) {
    const [number, wireType] = reader.tag();
    const field = countedFields(schema).get(number);
    if (field === undefined || wireType !== WireType.LengthDelimited) {
      reader.skip(wireType, number);
      continue;
    }
    const byteLength = reader.uint32();
    const endOfValue = reader.pos + byteLength;
    const index = counts.get(number) ?? 0;
    const items = field.isPacked ? Math.ceil(byteLength / numberBytesMax) : 1;
    counts.set(number, index + items);
    if (index + items > field.most)
      return within(field.name, violationOf("too_many", `must have at most ${field.most} items`));
    const inner = field.message === undefined ? null : itemViolation(field.message, reader, endOfValue);
    if (inner !== null) return within(field.name, field.isList ? within(String(index), inner) : inner);
    reader.pos = endOfValue;
  }
  return null;
}

type CountedField = {
  readonly name: string;
  /** Maximum number of items; Infinity for a field that is not a list or map. */
  readonly most: number;
  readonly isList: boolean;
  /** True if the items are numbers, which may share one value on the wire. */
  readonly isPacked: boolean;
  readonly message: DescMessage | undefined;
};

const counted = new WeakMap<DescMessage, ReadonlyMap<number, CountedField>>();

/** Returns the fields of a message that are lists, maps or messages, by number. */
function countedFields(schema: DescMessage): ReadonlyMap<number, CountedField> {
  const known = counted.get(schema);
  if (known !== undefined) return known;
  const fields = new Map(
    schema.fields
      .filter(({ fieldKind }) => fieldKind !== "scalar" && fieldKind !== "enum")
      .map((field): [number, CountedField] => {
        const isList = field.fieldKind === "list";
        const most = isList || field.fieldKind === "map" ? declared(field, "max_items") : Number.POSITIVE_INFINITY;
        const { name, number, message } = field;
        // The entries of a map are skipped: a key is not a field of the message itself, and the values are checked
        // after decoding.
        const isMessage = field.fieldKind !== "map";
        return [
          number,
          { name, most, isList, isPacked: isList && field.packed, message: isMessage ? message : undefined },
        ];
      }),
  );
  counted.set(schema, fields);
  return fields;
}

type Compiled = { check: Check<Fields> | null; isComplete: boolean };

const checks = new WeakMap<DescMessage, Compiled>();

/** Returns the check of a message; null if no part of it has a bound. */
function checkOf(schema: DescMessage): Check<Fields> | null {
  const known = checks.get(schema);
  if (known?.isComplete === true) return known.check;
  // A recursive message refers to a check that is still being created. It is complete by the time a request arrives.
  if (known !== undefined) return (message) => known.check?.(message) ?? null;
  const compiled: Compiled = { check: null, isComplete: false };
  checks.set(schema, compiled);
  const ofFields = schema.fields.map(fieldCheck).filter((check) => check !== null);
  if (ofFields.length > 0) compiled.check = (message) => firstViolation(ofFields, message);
  compiled.isComplete = true;
  return compiled.check;
}

function firstViolation(ofFields: readonly Check<Fields>[], message: Fields): Violation | null {
  for (const check of ofFields) {
    const violation = check(message);
    if (violation !== null) return violation;
  }
  return null;
}

function fieldCheck(field: DescField): Check<Fields> | null {
  const check = valueCheck(field);
  if (check === null) return null;
  const { localName, name, oneof } = field;
  const read = (message: Fields): unknown => {
    if (oneof === undefined) return message[localName];
    const chosen = message[oneof.localName] as { readonly case?: string; readonly value?: unknown };
    return chosen.case === localName ? chosen.value : undefined;
  };
  return (message) => {
    const value = read(message);
    // The cast is safe, because valueCheck has chosen the check by the kind of the field.
    return value === undefined ? null : within(name, check(value as never));
  };
}

function valueCheck(field: DescField): Check<never> | null {
  const ofItem = itemCheck(field);
  if (field.fieldKind === "list") {
    const most = declared(field, "max_items");
    return (items: readonly unknown[]) => (items.length > most ? tooMany(most, items.length) : firstOf(items, ofItem));
  }
  if (field.fieldKind !== "map") return ofItem;
  const most = declared(field, "max_items");
  const ofKey = field.mapKey === ScalarType.STRING ? textCheck(declared(field, "max_key_length"), "keys of ") : null;
  return (entries: Fields) => {
    const keys = Object.keys(entries);
    if (keys.length > most) return tooMany(most, keys.length);
    for (const key of keys) {
      // The cast is safe, because itemCheck has chosen the check by the kind of the values.
      const violation = ofKey?.(key) ?? within(key, ofItem?.(entries[key] as never) ?? null);
      if (violation !== null) return violation;
    }
    return null;
  };
}

/** Returns the check of the field's value, of each of its items, or of each value of the map. */
function itemCheck(field: DescField): Check<never> | null {
  if (field.message !== undefined) return checkOf(field.message);
  if (field.scalar === ScalarType.STRING) return textCheck(declared(field, "max_length"), "");
  if (field.scalar !== ScalarType.BYTES) return null;
  const most = declared(field, "max_bytes");
  return ({ byteLength }: Uint8Array) =>
    byteLength > most ? violationOf("too_large", `must have at most ${most} bytes, not ${byteLength}`) : null;
}

/**
 * Checks the length of a text in Unicode code points. A text never has more code points than UTF-16 units, so a short
 * text needs no counting.
 */
function textCheck(most: number, of: string): Check<string> {
  return (text) => {
    if (text.length <= most) return null;
    const length = codePointsOf(text);
    return length > most ? violationOf("too_long", `must have ${of}at most ${most} characters, not ${length}`) : null;
  };
}

/** Counts without creating an array, which would take 40 MB for a text of 5 MiB. */
function codePointsOf(text: string): number {
  let count = text.length;
  for (let index = 1; index < text.length; index += 1)
    if (isUnit(text, index, 0xdc00) && isUnit(text, index - 1, 0xd800)) count -= 1;
  return count;
}

const isUnit = (text: string, index: number, first: number): boolean => (text.charCodeAt(index) & 0xfc00) === first;

function firstOf(items: readonly unknown[], check: Check<never> | null): Violation | null {
  if (check === null) return null;
  for (let index = 0; index < items.length; index += 1) {
    // The cast is safe, because itemCheck has chosen the check by the kind of the items.
    const violation = check(items[index] as never);
    if (violation !== null) return within(String(index), violation);
  }
  return null;
}

function declared(field: DescField, name: BoundName): number {
  const most = declaredBounds(field)[name];
  if (most === undefined) throw new Error(`${String(field)} has no ${name}`);
  return most;
}

function boundsOfScalar(scalar: ScalarType | undefined): readonly BoundName[] {
  return scalar === ScalarType.STRING ? ["max_length"] : scalar === ScalarType.BYTES ? ["max_bytes"] : [];
}

const tooMany = (most: number, given: number): Violation =>
  violationOf("too_many", `must have at most ${most} items, not ${given}`);

const violationOf = (code: Violation["code"], message: string): Violation => ({ path: "", code, message });

/**
 * Returns the violation with its path relative to the containing value. `name` is escaped as a JSON Pointer requires
 * (RFC 6901, 3).
 */
function within(name: string, violation: Violation | null): Violation | null {
  if (violation === null) return null;
  return { ...violation, path: `/${name.replaceAll("~", "~0").replaceAll("/", "~1")}${violation.path}` };
}
