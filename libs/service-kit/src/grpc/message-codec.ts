import {
  create,
  type DescMessage,
  fromBinary,
  type MessageInitShape,
  type MessageShape,
  toBinary,
} from "@bufbuild/protobuf";
import { type MessageReader, readerOf } from "./message-reader.ts";
import { type MessageWriter, writerOf } from "./message-writer.ts";
import { WireReader, WireWriter } from "./mux-wire.ts";

/** A scratch larger than this is given up again, so that one large message does not hold memory for ever. */
const scratchMax = 1024 * 1024;
const scratchCapacity = 16 * 1024;

let scratch = new WireWriter(scratchCapacity);

type Codec = { readonly write: MessageWriter | null; readonly read: MessageReader | null };
const codecs = new WeakMap<DescMessage, Codec>();

/**
 * Serialises a message given as the plain object of its fields. Messages of the kinds of fields that our own have are written into one
 * buffer that stays; the library, which makes five objects with memory outside of the heap for each, writes the others.
 */
export function encodeMessage<D extends DescMessage>(schema: D, message: MessageInitShape<D>): Buffer {
  const { write } = codecOf(schema);
  if (write === null) {
    const bytes = toBinary(schema, create(schema, message));
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }
  // What failed halfway is written over.
  scratch.reset();
  write(scratch, message as Readonly<Record<string, unknown>>);
  const bytes = scratch.take();
  if (scratch.capacity > scratchMax) scratch = new WireWriter(scratchCapacity);
  return bytes;
}

/** Reads a message from its bytes; unknown fields are passed over, so services deploy in any order. */
export function decodeMessage<D extends DescMessage>(schema: D, bytes: Buffer): MessageShape<D> {
  const { read } = codecOf(schema);
  if (read === null) return fromBinary(schema, bytes);
  return read(new WireReader(bytes)) as MessageShape<D>;
}

function codecOf(schema: DescMessage): Codec {
  let codec = codecs.get(schema);
  if (codec === undefined) {
    codec = { write: writerOf(schema), read: readerOf(schema) };
    codecs.set(schema, codec);
  }
  return codec;
}
