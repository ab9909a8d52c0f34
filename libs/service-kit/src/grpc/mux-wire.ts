/**
 * Writes and reads the protobuf wire format of proto/platform/mux/v1 without objects in between. Every call and answer passes here, where
 * the generated code would cost more than the call itself. Lengths of nested messages and texts are written as varints of a fixed width,
 * which every protobuf reader accepts, so that nothing is measured before it is written.
 */
export type WireWriter = {
  varint(field: number, value: number): void;
  text(field: number, value: string): void;
  bytes(field: number, value: Uint8Array): void;
  /** Begins a nested message; give what it returns to `end`. */
  begin(field: number): number;
  end(mark: number): void;
  /** Bytes written so far. */
  length(): number;
  /** What has been written. */
  finish(): Buffer;
};

const wireVarint = 0;
const wireBytes = 2;

/** @param capacity bytes expected; it grows beyond */
export function createWireWriter(capacity: number): WireWriter {
  let buffer = Buffer.allocUnsafe(capacity);
  let at = 0;
  const ensure = (more: number): void => {
    if (at + more <= buffer.length) return;
    const larger = Buffer.allocUnsafe(Math.max(buffer.length * 2, at + more));
    buffer.copy(larger, 0, 0, at);
    buffer = larger;
  };
  const varint = (value: number): void => {
    let left = value;
    while (left > 0x7f) {
      buffer[at] = (left & 0x7f) | 0x80;
      at += 1;
      left >>>= 7;
    }
    buffer[at] = left;
    at += 1;
  };
  const tag = (field: number, type: number): void => varint((field << 3) | type);
  return {
    varint: (field, value) => {
      ensure(12);
      tag(field, wireVarint);
      varint(value >>> 0);
    },
    text: (field, value) => {
      ensure(value.length * 3 + 5);
      tag(field, wireBytes);
      const length = buffer.write(value, at + 3, "utf8");
      buffer[at] = (length & 0x7f) | 0x80;
      buffer[at + 1] = ((length >>> 7) & 0x7f) | 0x80;
      buffer[at + 2] = length >>> 14;
      at += 3 + length;
    },
    bytes: (field, value) => {
      ensure(value.byteLength + 7);
      tag(field, wireBytes);
      varint(value.byteLength);
      buffer.set(value, at);
      at += value.byteLength;
    },
    begin: (field) => {
      ensure(8);
      tag(field, wireBytes);
      at += 4;
      return at;
    },
    end: (mark) => {
      const length = at - mark;
      buffer[mark - 4] = (length & 0x7f) | 0x80;
      buffer[mark - 3] = ((length >>> 7) & 0x7f) | 0x80;
      buffer[mark - 2] = ((length >>> 14) & 0x7f) | 0x80;
      buffer[mark - 1] = length >>> 21;
    },
    length: () => at,
    finish: () => buffer.subarray(0, at),
  };
}

/** Reads fields one after another. `next` answers the field's number, 0 at the end; then exactly one of the others takes its value. */
export type WireReader = {
  next(): number;
  varint(): number;
  text(): string;
  bytes(): Buffer;
  /** Passes over a field this reader does not know: a newer writer is understood. */
  skip(): void;
};

/** @throws Error when the bytes are no protobuf */
export function createWireReader(buffer: Buffer): WireReader {
  let at = 0;
  let type = 0;
  const malformed = (): Error => new Error("malformed frame");
  const varint = (): number => {
    let value = 0;
    for (let shift = 0; shift < 70; shift += 7) {
      const byte = buffer[at];
      if (byte === undefined) throw malformed();
      at += 1;
      // Bits beyond 32 belong to numbers this format has none of; they are passed over.
      if (shift < 32) value |= (byte & 0x7f) << shift;
      if (byte < 0x80) return value >>> 0;
    }
    throw malformed();
  };
  const lengthDelimited = (): number => {
    if (type !== wireBytes) throw malformed();
    const length = varint();
    if (at + length > buffer.length) throw malformed();
    return at + length;
  };
  return {
    next: () => {
      if (at >= buffer.length) return 0;
      const tag = varint();
      type = tag & 7;
      return tag >>> 3;
    },
    varint: () => {
      if (type !== wireVarint) throw malformed();
      return varint();
    },
    text: () => {
      const end = lengthDelimited();
      const value = buffer.toString("utf8", at, end);
      at = end;
      return value;
    },
    bytes: () => {
      const end = lengthDelimited();
      const value = buffer.subarray(at, end);
      at = end;
      return value;
    },
    skip: () => {
      if (type === wireVarint) varint();
      else if (type === wireBytes) at = lengthDelimited();
      else if (type === 1) at += 8;
      else if (type === 5) at += 4;
      else throw malformed();
    },
  };
}
