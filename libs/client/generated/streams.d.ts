/** The parts of a web stream, by its reader, because not every browser's stream can be iterated. */
export declare function partsOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array>;
/** The same in parts of at most `bytesMax` bytes. A stream of bytes in memory may provide all of them as one part. */
export declare function smallPartsOf(stream: ReadableStream<Uint8Array>, bytesMax: number): AsyncGenerator<Uint8Array>;
