/** The parts of a web stream, by its reader, because not every browser's stream can be iterated. */
export async function* partsOf(stream) {
    const reader = stream.getReader();
    try {
        for (;;) {
            const { done, value } = await reader.read();
            if (done)
                return;
            yield value;
        }
    }
    finally {
        reader.releaseLock();
    }
}
/** The same in parts of at most `bytesMax` bytes. A stream of bytes in memory may provide all of them as one part. */
export async function* smallPartsOf(stream, bytesMax) {
    for await (const part of partsOf(stream))
        for (let from = 0; from < part.byteLength; from += bytesMax)
            yield part.subarray(from, from + bytesMax);
}
