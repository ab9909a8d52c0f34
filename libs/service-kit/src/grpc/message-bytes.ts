import {
  create,
  type DescMessage,
  fromBinary,
  type MessageInitShape,
  type MessageShape,
  toBinary,
} from "@bufbuild/protobuf";

/** A message's bytes. */
export function encodeMessage<D extends DescMessage>(schema: D, message: MessageInitShape<D>): Uint8Array<ArrayBuffer> {
  return toBinary(schema, create(schema, message));
}

/** Reads a message. Throws when the bytes are none. */
export function decodeMessage<D extends DescMessage>(schema: D, bytes: Uint8Array): MessageShape<D> {
  return fromBinary(schema, bytes);
}

/** The same memory as grpc-js takes it. */
export function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
