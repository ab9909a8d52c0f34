import {
  create,
  type DescField,
  type DescMessage,
  type MessageInitShape,
  type MessageShape,
  ScalarType,
  toBinary,
} from "@bufbuild/protobuf";
import { BinaryWriter, WireType } from "@bufbuild/protobuf/wire";
import { FeatureSet_FieldPresence, TimestampSchema } from "@bufbuild/protobuf/wkt";

type Fields = Readonly<Record<string, unknown>>;
type Write = (writer: BinaryWriter, message: Fields) => void;

const { LengthDelimited, Varint } = WireType;

/** The wire type and the writer of each scalar type. The library encodes messages with fields of any other type. */
const scalars: Partial<Record<ScalarType, readonly [WireType, (writer: BinaryWriter, value: never) => void]>> = {
  [ScalarType.STRING]: [LengthDelimited, (writer, value) => writer.string(value)],
  [ScalarType.BYTES]: [LengthDelimited, (writer, value) => writer.bytes(value)],
  [ScalarType.BOOL]: [Varint, (writer, value) => writer.bool(value)],
  [ScalarType.INT32]: [Varint, (writer, value) => writer.int32(value)],
  [ScalarType.UINT32]: [Varint, (writer, value) => writer.uint32(value)],
  [ScalarType.INT64]: [Varint, (writer, value) => writer.int64(value)],
};

/** The writer of each message type; null for a message that the library encodes. */
const writers = new WeakMap<DescMessage, Write | null>();
const shared = new BinaryWriter();

/**
 * Encodes a message as a Buffer, which grpc-js accepts. One shared writer writes all messages of singular fields.
 * `toBinary` creates a writer for each message and doubles its buffer until the message fits, which took a third of a
 * call's time.
 */
export function encodeMessage<D extends DescMessage>(schema: D, message: MessageInitShape<D>): Buffer<ArrayBuffer> {
  const write = writerOf(schema);
  if (write === null) return asBuffer(toBinary(schema, create(schema, message)));
  try {
    write(shared, message as Fields);
    return asBuffer(shared.finish());
  } catch (error) {
    // The shared writer is emptied, so that the next message does not start with a part of this one.
    shared.finish();
    throw error;
  }
}

function writerOf(message: DescMessage): Write | null {
  const known = writers.get(message);
  if (known !== undefined) return known;
  // While the writer is being created the entry is null, so that the library encodes recursive messages.
  writers.set(message, null);
  const fields = message.fields.toSorted((a, b) => a.number - b.number).map(fieldWriter);
  const write = fields.every((field) => field !== null) ? messageWriter(fields) : null;
  writers.set(message, write);
  return write;
}

function messageWriter(fields: readonly Write[]): Write {
  return (writer, message) => {
    for (let index = 0; index < fields.length; index += 1) fields[index]?.(writer, message);
    const { $unknown: unknown } = message as MessageShape<DescMessage>;
    if (unknown !== undefined) for (const { no, wireType, data } of unknown) writer.tag(no, wireType).raw(data);
  };
}

function fieldWriter(field: DescField): Write | null {
  const { number, localName: name } = field;
  if (field.oneof !== undefined) return null;
  if (field.fieldKind === "message") {
    const { message: inner } = field;
    // Other well-known types have special values, so the library encodes them.
    if (inner.typeName.startsWith("google.protobuf.") && inner.typeName !== TimestampSchema.typeName) return null;
    const write = writerOf(inner);
    if (write === null) return null;
    return (writer, message) => {
      const value = message[name];
      if (value === undefined || value === null) return;
      write(writer.tag(number, LengthDelimited).fork(), value as Fields);
      writer.join();
    };
  }
  const scalar = field.fieldKind === "scalar" ? scalars[field.scalar] : undefined;
  if (scalar === undefined) return null;
  const [wireType, write] = scalar;
  const isZeroLeftOut = field.presence === FeatureSet_FieldPresence.IMPLICIT;
  return (writer, message) => {
    const value = message[name];
    if (value === undefined || value === null || (isZeroLeftOut && isZero(value))) return;
    // The table of scalars pairs each type with its writer, so the value has the right type.
    write(writer.tag(number, wireType), value as never);
  };
}

function isZero(value: unknown): boolean {
  return value === "" || value === 0 || value === false || value === 0n || (value as Uint8Array).byteLength === 0;
}

/** Returns the same memory as a Buffer. */
function asBuffer(bytes: Uint8Array<ArrayBuffer>): Buffer<ArrayBuffer> {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
