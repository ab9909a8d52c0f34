import type { DescMessage } from "@bufbuild/protobuf";
import { type FieldKind, type KnownField, knownFields } from "./message-fields.ts";
import type { WireWriter } from "./mux-wire.ts";

type Fields = Readonly<Record<string, unknown>>;

/** Writes a message given as the plain object of its fields. Throws a TypeError when a value is not of its field's type. */
export type MessageWriter = (writer: WireWriter, message: Fields) => void;

type FieldWriter = (writer: WireWriter, message: Fields) => void;
type ValueWriter = (writer: WireWriter, number: number, value: unknown) => void;

/** Compiles the writer of a message; null when it has fields that are left to the library. */
export function writerOf(message: DescMessage): MessageWriter | null {
  const fields = knownFields(message);
  return fields === null ? null : messageWriter(fields.map((field) => fieldWriter(message, field)));
}

function messageWriter(fields: readonly FieldWriter[]): MessageWriter {
  return (writer, message) => {
    for (let index = 0; index < fields.length; index += 1) fields[index]?.(writer, message);
  };
}

function fieldWriter(message: DescMessage, { number, name, kind, isList, isOptional }: KnownField): FieldWriter {
  const write = valueWriter(kind, `${message.typeName}.${name}`);
  if (isList) {
    return (writer, fields) => {
      const values = fields[name] as readonly unknown[] | undefined;
      if (values === undefined || values === null) return;
      for (const value of values) write(writer, number, value);
    };
  }
  if (isOptional) {
    return (writer, fields) => {
      const value = fields[name];
      if (value !== undefined && value !== null) write(writer, number, value);
    };
  }
  // A zero is not written; what is of the wrong type is none, and throws. Empty bytes mean the same written or not.
  return (writer, fields) => {
    const value = fields[name];
    const isZero =
      value === undefined || value === null || value === "" || value === 0 || value === false || value === 0n;
    if (!isZero) write(writer, number, value);
  };
}

function valueWriter(kind: FieldKind, field: string): ValueWriter {
  const refuse = (): never => {
    throw new TypeError(`${field} is given a value that is no ${kind.type}`);
  };
  switch (kind.type) {
    case "string":
      return (writer, number, value) => (typeof value === "string" ? writer.text(number, value) : refuse());
    case "bytes":
      return (writer, number, value) => (value instanceof Uint8Array ? writer.bytes(number, value) : refuse());
    case "bool":
      return (writer, number, value) => (typeof value === "boolean" ? writer.varint(number, value ? 1 : 0) : refuse());
    case "uint32":
      return (writer, number, value) =>
        typeof value === "number" && value >>> 0 === value ? writer.varint(number, value) : refuse();
    case "int32":
      return (writer, number, value) => {
        if (typeof value !== "number" || (value | 0) !== value) refuse();
        else if (value >= 0) writer.varint(number, value);
        else writer.int32(number, value);
      };
    case "int64":
      return (writer, number, value) =>
        typeof value === "bigint" && BigInt.asIntN(64, value) === value ? writer.int64(number, value) : refuse();
    case "message":
      return nestedWriter(kind.message, refuse);
  }
}

function nestedWriter(message: DescMessage, refuse: () => never): ValueWriter {
  const write = writerOf(message);
  if (write === null) throw new Error(`${message.typeName} is left to the library`);
  return (writer, number, value) => {
    if (typeof value !== "object" || value === null) refuse();
    const mark = writer.begin(number);
    write(writer, value as Fields);
    writer.end(mark);
  };
}
