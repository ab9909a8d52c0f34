import type { DescMessage } from "@bufbuild/protobuf";
import { type FieldKind, type KnownField, knownFields } from "./message-fields.ts";
import type { WireReader } from "./mux-wire.ts";

/** Reads a message to the end of the bytes; throws when they are no protobuf. */
export type MessageReader = (reader: WireReader) => object;

type Fields = Record<string, unknown>;
type FieldReader = (reader: WireReader, message: Fields) => void;

type Compiled = {
  /** An empty message, as the library's `create` makes it. */
  empty(): Fields;
  /** Reads what is left into a message. */
  readInto(reader: WireReader, message: Fields): void;
};

/** Compiles the reader of a message; null when it has fields that are left to the library. */
export function readerOf(message: DescMessage): MessageReader | null {
  const fields = knownFields(message);
  if (fields === null) return null;
  const { empty, readInto } = compile(message.typeName, fields);
  return (reader) => {
    const read = empty();
    readInto(reader, read);
    return read;
  };
}

function compile(typeName: string, fields: readonly KnownField[]): Compiled {
  const template: Fields = { $typeName: typeName };
  for (const { name, kind, isList, isOptional } of fields) {
    if (!isList && !isOptional && kind.type !== "message") template[name] = zeros[kind.type];
  }
  const lists = fields.filter(({ isList }) => isList).map(({ name }) => name);
  const readers: (FieldReader | undefined)[] = [];
  for (const field of fields) readers[field.number] = fieldReader(field);
  return {
    empty: () => {
      const message = { ...template };
      for (const name of lists) message[name] = [];
      return message;
    },
    readInto: (reader, message) => {
      for (let field = reader.next(); field !== 0; field = reader.next()) {
        const read = readers[field];
        if (read === undefined) reader.skip();
        else read(reader, message);
      }
    },
  };
}

const zeros = { string: "", bytes: new Uint8Array(0), bool: false, uint32: 0, int32: 0, int64: 0n } as const;

function fieldReader({ name, kind, isList }: KnownField): FieldReader {
  if (kind.type === "message") return nestedReader(kind.message, name, isList);
  const read = valueReader(kind);
  if (isList) {
    return (reader, message) => {
      (message[name] as unknown[]).push(read(reader));
    };
  }
  return (reader, message) => {
    message[name] = read(reader);
  };
}

function valueReader({ type }: Exclude<FieldKind, { type: "message" }>): (reader: WireReader) => unknown {
  switch (type) {
    case "string":
      return (reader) => reader.text();
    case "bytes":
      return (reader) => reader.bytes();
    case "bool":
      return (reader) => reader.int64() !== 0n;
    case "uint32":
      return (reader) => reader.varint();
    case "int32":
      return (reader) => reader.varint() | 0;
    case "int64":
      return (reader) => reader.int64();
  }
}

function nestedReader(message: DescMessage, name: string, isList: boolean): FieldReader {
  const fields = knownFields(message);
  if (fields === null) throw new Error(`${message.typeName} is left to the library`);
  const { empty, readInto } = compile(message.typeName, fields);
  return (reader, outer) => {
    const end = reader.enter();
    // A message that comes in parts is one message.
    const inner = isList ? empty() : ((outer[name] as Fields | undefined) ?? empty());
    readInto(reader, inner);
    reader.leave(end);
    if (isList) (outer[name] as unknown[]).push(inner);
    else outer[name] = inner;
  };
}
