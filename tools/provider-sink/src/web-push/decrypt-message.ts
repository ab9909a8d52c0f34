import { createDecipheriv, hkdfSync } from "node:crypto";
import type { Subscription } from "./subscriptions.ts";

const saltBytes = 16;
const tagBytes = 16;
const headerBytes = 21;
const publicKeyBytes = 65;
/** Smallest record size RFC 8188 allows: a tag, a delimiter and one more byte. */
const recordSizeMin = 18;

/**
 * Decrypts one Web Push message: RFC 8188 (aes128gcm content coding) with the keys of RFC 8291 §3.4.
 * Throws an Error that says what is wrong when the message cannot be read with this subscription.
 */
export function decryptMessage(subscription: Subscription, body: Buffer): Buffer {
  if (body.length < headerBytes) throw new Error("shorter than an aes128gcm header");
  const salt = body.subarray(0, saltBytes);
  const recordSize = body.readUInt32BE(saltBytes);
  const keyIdBytes = body.readUInt8(saltBytes + 4);
  const senderPublicKey = body.subarray(headerBytes, headerBytes + keyIdBytes);
  if (recordSize < recordSizeMin) throw new Error(`record size ${recordSize} is below ${recordSizeMin}`);
  if (keyIdBytes !== publicKeyBytes || senderPublicKey.length !== publicKeyBytes) {
    throw new Error("key id is not an uncompressed P-256 public key");
  }
  const inputKey = deriveInputKey(subscription, senderPublicKey);
  const contentKey = hkdf(inputKey, salt, Buffer.from("Content-Encoding: aes128gcm\0"), 16);
  const baseNonce = hkdf(inputKey, salt, Buffer.from("Content-Encoding: nonce\0"), 12);
  return decryptRecords(body.subarray(headerBytes + keyIdBytes), recordSize, contentKey, baseNonce);
}

/** IKM of RFC 8291 §3.3: the ECDH secret bound to both public keys and to the subscription's auth secret. */
function deriveInputKey({ ecdh, auth }: Subscription, senderPublicKey: Buffer): Buffer {
  const secret = ecdh.computeSecret(senderPublicKey);
  const info = Buffer.concat([Buffer.from("WebPush: info\0"), ecdh.getPublicKey(), senderPublicKey]);
  return hkdf(secret, auth, info, 32);
}

function decryptRecords(content: Buffer, recordSize: number, contentKey: Buffer, baseNonce: Buffer): Buffer {
  if (content.length === 0) throw new Error("no record");
  const plain: Buffer[] = [];
  for (let start = 0, index = 0; start < content.length; start += recordSize, index += 1) {
    const record = content.subarray(start, start + recordSize);
    const isLast = start + recordSize >= content.length;
    plain.push(unpad(decryptRecord(record, contentKey, nonceAt(baseNonce, index)), isLast));
  }
  return Buffer.concat(plain);
}

function decryptRecord(record: Buffer, contentKey: Buffer, nonce: Buffer): Buffer {
  if (record.length <= tagBytes) throw new Error("record is shorter than its tag");
  const decipher = createDecipheriv("aes-128-gcm", contentKey, nonce);
  decipher.setAuthTag(record.subarray(record.length - tagBytes));
  return Buffer.concat([decipher.update(record.subarray(0, record.length - tagBytes)), decipher.final()]);
}

/** Takes off the padding: zeros behind a delimiter that is 2 in the last record and 1 in the others. */
function unpad(padded: Buffer, isLast: boolean): Buffer {
  const end = padded.findLastIndex((byte) => byte !== 0);
  if (end < 0 || padded[end] !== (isLast ? 2 : 1)) throw new Error("record has no valid padding delimiter");
  return padded.subarray(0, end);
}

function nonceAt(baseNonce: Buffer, index: number): Buffer {
  const nonce = Buffer.from(baseNonce);
  nonce.writeUIntBE(nonce.readUIntBE(6, 6) ^ index, 6, 6);
  return nonce;
}

function hkdf(inputKey: Buffer, salt: Buffer, info: Buffer, bytes: number): Buffer {
  return Buffer.from(hkdfSync("sha256", inputKey, salt, info, bytes));
}
