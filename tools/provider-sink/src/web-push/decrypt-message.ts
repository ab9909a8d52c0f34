import { createDecipheriv, hkdfSync } from "node:crypto";
import type { Subscription } from "./subscriptions.ts";

const saltBytes = 16;
const tagBytes = 16;
const headerBytes = 21;
const publicKeyBytes = 65;
/** Smallest record size that RFC 8188 allows: a tag, a delimiter and one more byte. */
const recordSizeMin = 18;

/**
 * Decrypts one Web Push message: RFC 8188 (aes128gcm content coding) with the keys of RFC 8291 §3.4. Throws an Error
 * that describes the problem if the message cannot be read with this subscription.
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
  const record = body.subarray(headerBytes + keyIdBytes);
  if (record.length > recordSize) throw new Error("more than one record, where RFC 8291 §4 allows one");
  const nonce = hkdf(inputKey, salt, Buffer.from("Content-Encoding: nonce\0"), 12);
  return unpad(decryptRecord(record, contentKey, nonce));
}

/** Computes the IKM of RFC 8291 §3.3: the ECDH secret, bound to both public keys and to the subscription's auth secret. */
function deriveInputKey({ ecdh, auth }: Subscription, senderPublicKey: Buffer): Buffer {
  const secret = ecdh.computeSecret(senderPublicKey);
  const info = Buffer.concat([Buffer.from("WebPush: info\0"), ecdh.getPublicKey(), senderPublicKey]);
  return hkdf(secret, auth, info, 32);
}

function decryptRecord(record: Buffer, contentKey: Buffer, nonce: Buffer): Buffer {
  if (record.length <= tagBytes) throw new Error("record is shorter than its tag");
  const decipher = createDecipheriv("aes-128-gcm", contentKey, nonce);
  decipher.setAuthTag(record.subarray(record.length - tagBytes));
  return Buffer.concat([decipher.update(record.subarray(0, record.length - tagBytes)), decipher.final()]);
}

/** Removes the padding of the last record, which is a delimiter of 2 followed by zeros (RFC 8188 §2). */
function unpad(padded: Buffer): Buffer {
  const end = padded.findLastIndex((byte) => byte !== 0);
  if (end < 0 || padded[end] !== 2) throw new Error("the record has no valid padding delimiter");
  return padded.subarray(0, end);
}

function hkdf(inputKey: Buffer, salt: Buffer, info: Buffer, bytes: number): Buffer {
  return Buffer.from(hkdfSync("sha256", inputKey, salt, info, bytes));
}
