import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex } from "@noble/hashes/utils.js";
import { partsOf } from "./streams.js";
/** SHA-256 of a Blob as lower-case hex, read in parts. */
export async function digestOf(blob) {
    const hash = sha256.create();
    for await (const part of partsOf(blob.stream()))
        hash.update(part);
    return bytesToHex(hash.digest());
}
