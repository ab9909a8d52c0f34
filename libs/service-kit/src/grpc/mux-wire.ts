import { isUtf8 } from "node:buffer";

/**
 * Writes and reads the protobuf wire format without objects in between: every call and answer passes here, frames (proto/projectintegration/mux/v1)
 * and messages alike, where the library's own code would cost more than the call itself. What is not measured before it is written, nested
 * messages and longer texts, has its length as a varint of a fixed width, which every protobuf reader accepts.
 */
export const wireVarint = 0;
export const wireBytes = 2;

/** Texts up to this length are mostly ASCII and quicker copied here than by a call into native code. */
const shortTextMax = 24;
/** Longer texts may not fit a length of three bytes. */
const textUnitsMax = 0x1fffff / 3;
const twoTo32 = 0x1_0000_0000;

/** Capacity for what is probably about as long as what was written last: small ones come out of Node's pool, large ones need not grow. */
export function capacityAfter(bytes: number): number {
  return Math.max(512, bytes + (bytes >> 2));
}

export class WireWriter {
  #buffer: Buffer;
  #at = 0;

  /** @param capacity bytes expected; it grows beyond */
  constructor(capacity: number) {
    this.#buffer = Buffer.allocUnsafe(capacity);
  }

  /** An unsigned integer of at most 32 bits. */
  varint(field: number, value: number): void {
    this.#ensure(12);
    this.#raw((field << 3) | wireVarint);
    this.#raw(value >>> 0);
  }

  /** A signed integer of at most 32 bits; negative ones take ten bytes, as those of 64 bits. */
  int32(field: number, value: number): void {
    this.int64(field, BigInt(value));
  }

  int64(field: number, value: bigint): void {
    this.#ensure(17);
    this.#raw((field << 3) | wireVarint);
    // What fits a number is split without making further bigints.
    const isSmall = value >= 0n && value <= 0x1f_ffff_ffff_ffffn;
    const number = isSmall ? Number(value) : 0;
    let low = isSmall ? number >>> 0 : Number(BigInt.asUintN(32, value));
    let high = isSmall ? (number - low) / twoTo32 : Number(BigInt.asUintN(32, value >> 32n));
    for (; high !== 0; high >>>= 7) {
      this.#buffer[this.#at++] = (low & 0x7f) | 0x80;
      low = ((low >>> 7) | (high << 25)) >>> 0;
    }
    this.#raw(low);
  }

  text(field: number, value: string): void {
    const units = value.length;
    this.#ensure(units * 3 + 10);
    this.#raw((field << 3) | wireBytes);
    if (units <= shortTextMax && this.#ascii(value)) return;
    if (units > textUnitsMax) {
      this.#raw(Buffer.byteLength(value));
      this.#at += this.#buffer.write(value, this.#at, "utf8");
      return;
    }
    const buffer = this.#buffer;
    const at = this.#at;
    const length = buffer.write(value, at + 3, "utf8");
    buffer[at] = (length & 0x7f) | 0x80;
    buffer[at + 1] = ((length >>> 7) & 0x7f) | 0x80;
    buffer[at + 2] = length >>> 14;
    this.#at = at + 3 + length;
  }

  bytes(field: number, value: Uint8Array): void {
    this.#ensure(value.byteLength + 10);
    this.#raw((field << 3) | wireBytes);
    this.#raw(value.byteLength);
    this.#buffer.set(value, this.#at);
    this.#at += value.byteLength;
  }

  /** Begins a nested message; give what it returns to `end`. */
  begin(field: number): number {
    this.#ensure(10);
    this.#raw((field << 3) | wireBytes);
    this.#at += 4;
    return this.#at;
  }

  end(mark: number): void {
    const length = this.#at - mark;
    const buffer = this.#buffer;
    buffer[mark - 4] = (length & 0x7f) | 0x80;
    buffer[mark - 3] = ((length >>> 7) & 0x7f) | 0x80;
    buffer[mark - 2] = ((length >>> 14) & 0x7f) | 0x80;
    buffer[mark - 1] = length >>> 21;
  }

  /** Bytes written so far. */
  length(): number {
    return this.#at;
  }

  /** What has been written, without copying it: the writer must not be used again. */
  finish(): Buffer {
    return this.#buffer.subarray(0, this.#at);
  }

  /** A copy of what has been written, out of Node's pool when it is small; the writer begins anew. */
  take(): Buffer {
    const copy = Buffer.allocUnsafe(this.#at);
    this.#buffer.copy(copy, 0, 0, this.#at);
    this.#at = 0;
    return copy;
  }

  /** Forgets what has been written. */
  reset(): void {
    this.#at = 0;
  }

  get capacity(): number {
    return this.#buffer.length;
  }

  /** Writes a short text with its length when it is ASCII; what it wrote of another is written over. */
  #ascii(value: string): boolean {
    const buffer = this.#buffer;
    let at = this.#at;
    buffer[at++] = value.length;
    for (let index = 0; index < value.length; index += 1) {
      const unit = value.charCodeAt(index);
      if (unit > 0x7f) return false;
      buffer[at++] = unit;
    }
    this.#at = at;
    return true;
  }

  #raw(value: number): void {
    let left = value;
    while (left > 0x7f) {
      this.#buffer[this.#at++] = (left & 0x7f) | 0x80;
      left >>>= 7;
    }
    this.#buffer[this.#at++] = left;
  }

  #ensure(more: number): void {
    const needed = this.#at + more;
    if (needed <= this.#buffer.length) return;
    const larger = Buffer.allocUnsafe(Math.max(this.#buffer.length * 2, needed));
    this.#buffer.copy(larger, 0, 0, this.#at);
    this.#buffer = larger;
  }
}

/**
 * Reads fields one after another. `next` answers the field's number, 0 at the end; then exactly one of the others takes its value. Bytes
 * are views of the buffer read from. Every method throws "malformed frame" when the bytes are no protobuf, and reads nothing beyond them.
 */
export class WireReader {
  #buffer: Buffer;
  #at = 0;
  #end: number;
  #type = 0;
  #high = 0;

  constructor(buffer: Buffer) {
    this.#buffer = buffer;
    this.#end = buffer.length;
  }

  next(): number {
    if (this.#at >= this.#end) return 0;
    const tag = this.#low();
    this.#type = tag & 7;
    if (tag < 8) throw malformed();
    return tag >>> 3;
  }

  /** The low 32 bits of an integer, without sign. */
  varint(): number {
    if (this.#type !== wireVarint) throw malformed();
    return this.#low();
  }

  /** A signed integer of 64 bits. */
  int64(): bigint {
    if (this.#type !== wireVarint) throw malformed();
    const low = this.#low();
    const high = this.#high;
    if (high < 0x20_0000) return BigInt(high * twoTo32 + low);
    return BigInt.asIntN(64, (BigInt(high) << 32n) | BigInt(low));
  }

  text(): string {
    const end = this.#delimited();
    const value = this.#buffer.toString("utf8", this.#at, end);
    // What is no UTF-8 reads as replacement characters, which a text may have of its own, too.
    if (value.includes("\ufffd") && !isUtf8(this.#buffer.subarray(this.#at, end))) throw malformed();
    this.#at = end;
    return value;
  }

  bytes(): Buffer {
    const end = this.#delimited();
    const value = this.#buffer.subarray(this.#at, end);
    this.#at = end;
    return value;
  }

  /** Reads on within a nested message, to whose end `next` then answers 0; give what it returns to `leave`. */
  enter(): number {
    const outer = this.#end;
    this.#end = this.#delimited();
    return outer;
  }

  leave(outer: number): void {
    this.#at = this.#end;
    this.#end = outer;
  }

  /** Passes over a field this reader does not know: a newer writer is understood. */
  skip(): void {
    if (this.#type === wireVarint) this.#low();
    else if (this.#type === wireBytes) this.#at = this.#delimited();
    else if (this.#type === 1) this.#at += 8;
    else if (this.#type === 5) this.#at += 4;
    else throw malformed();
    if (this.#at > this.#end) throw malformed();
  }

  #delimited(): number {
    if (this.#type !== wireBytes) throw malformed();
    const length = this.#low();
    if (this.#at + length > this.#end) throw malformed();
    return this.#at + length;
  }

  /** Reads an integer: its low half is answered, its high half left in `#high`. */
  #low(): number {
    const first = this.#buffer[this.#at];
    if (first !== undefined && first < 0x80 && this.#at < this.#end) {
      this.#at += 1;
      this.#high = 0;
      return first;
    }
    let low = 0;
    let high = 0;
    for (let shift = 0; shift < 70; shift += 7) {
      if (this.#at >= this.#end) throw malformed();
      const byte = this.#buffer[this.#at] ?? 0;
      this.#at += 1;
      const bits = byte & 0x7f;
      if (shift < 32) low |= bits << shift;
      if (shift === 28) high = bits >>> 4;
      else if (shift > 28) high |= bits << (shift - 32);
      if (byte < 0x80) {
        this.#high = high >>> 0;
        return low >>> 0;
      }
    }
    throw malformed();
  }
}

function malformed(): Error {
  return new Error("malformed frame");
}
